#!/bin/sh
# Shows with examples/rank what of the commit history of this checkout to keep under a
# token budget, or, where there is too little, of a recorded agent session. env.sh says
# which library.
set -eu
cd "$(dirname "$0")"
. ./env.sh

go build -o "$work/rank" ./examples/rank
cd "$root"
. scripts/rank-history.sh
rank_history "$work/rank"

#!/bin/sh
# Shows with examples/rank.py what of the commit history of this checkout to keep under a token budget, or, where there is too
# little, of a recorded session of an agent.
set -eu
cd "$(dirname "$0")"
. ./env.sh

environment=$work/demo
make_venv "$environment"
install_package "$environment" "$(build_wheel)"
cd "$root"
. scripts/rank-history.sh
rank_history "$environment/bin/python" bindings/python/examples/rank.py

#!/bin/sh
# Builds examples/c/rank.c and shows what of the commit history of this checkout to keep
# under a token budget, or, where there is no history to speak of, of a recorded agent
# session.
#
# The library must have been built. CUPEL_LIB_DIR and CUPEL_INCLUDE_DIR say where it
# and its header are (default: target/release and include).
set -eu

cd "$(dirname "$0")/.."
library=${CUPEL_LIB_DIR:-target/release}
include=${CUPEL_INCLUDE_DIR:-include}
output=target/examples

mkdir -p "$output"
library=$(cd "$library" && pwd)
"${CC:-cc}" -std=c11 -O2 -Wall -Wextra -I"$include" examples/c/rank.c \
    -L"$library" -lcupel -Wl,-rpath,"$library" -o "$output/rank"

# shellcheck source=scripts/rank-history.sh
. scripts/rank-history.sh
rank_history "$output/rank"

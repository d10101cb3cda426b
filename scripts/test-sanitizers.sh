#!/bin/sh
# Runs the tests under sanitizers: all of them, or with `short` those that take seconds; see tests/sanitizers/run.sh.
set -eu
exec "$(dirname "$0")/../tests/sanitizers/run.sh" "$@"

#!/bin/sh
# Holds header and library to the ABI of the baseline; see tests/abi/run.sh.
set -eu
exec "$(dirname "$0")/../tests/abi/run.sh"

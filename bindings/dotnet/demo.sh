#!/usr/bin/env bash
# Shows what of the commit history of this checkout to keep under a token budget, or, where there are too few commits, of a
# recorded agent session; then a chat with a stable front.
source "$(dirname "${BASH_SOURCE[0]}")/scripts/toolchain.sh"

ensure_mono
ensure_python
ensure_coreclr
build_library
compile_core "$out/core/rank.dll" exe "-r:$out/core/Cupel.Native.dll" "$here/examples/Rank/Rank.cs"

cd "$root"
# shellcheck source=scripts/rank-history.sh
source scripts/rank-history.sh
rank_history run_core "$out/core/rank.dll"

echo
echo "A chat that outgrows its window, with a stable front and without:"
compile_core "$out/core/chat.dll" exe "-r:$out/core/Cupel.Native.dll" "$here/examples/Chat/Chat.cs"
run_core "$out/core/chat.dll"

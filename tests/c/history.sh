#!/bin/sh
# scripts/history-items.sh on a history with everything that is awkward in a commit, and
# scripts/demo.sh in a clone, a shallow clone and an unpacked archive.
set -eu
. "$(dirname "$0")/lib.sh"
need git git
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
HOME=$temporary
GIT_CONFIG_NOSYSTEM=1
GIT_AUTHOR_NAME='Ann "the \ Ünusual" B' GIT_AUTHOR_EMAIL=ann@example.com
GIT_COMMITTER_NAME=Ann GIT_COMMITTER_EMAIL=ann@example.com GIT_COMMITTER_DATE='1767225600 +0000'
export HOME GIT_CONFIG_NOSYSTEM GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE
git config --global init.defaultBranch main
# Settings of a user that change what git log prints.
git config --global color.ui always
git config --global log.showSignature true
git config --global log.showRoot false
git config --global diff.noprefix true

repository=$temporary/repository
git init -q "$repository"
cd "$repository"

# commit DATE MESSAGE: whatever has changed.
commit() {
    git add -A
    GIT_AUTHOR_DATE=$1 git commit -q --allow-empty --allow-empty-message -m "$2"
}
odd=$(printf 'a"b\\c\td')
mkdir -p src/deep "$odd" 'späce é'
echo 1 >src/deep/file
echo 1 >src/other
echo 1 >"$odd/file"
echo 1 >'späce é/file'
echo 1 >top
commit '2001-03-01T04:59:59+0530' 'commit 0123456789012345678901234567890123456789

parents a b
:100644 is no file
 "quoted" \u0041 & \&	tab'"$(printf '\001\033[31m\rend')"
echo 2 >top
commit '2024-02-29T16:00:00-0800' 'Fixed: a leap day'
git checkout -q -b side
mkdir docs
echo 1 >docs/file
commit '1767225600 +0000' 'prefix the suffix'
git checkout -q main
echo 3 >top
commit '1767225601 +0000' ''
GIT_AUTHOR_DATE='1767225602 +0000' git merge -q --no-ff -m 'Merge side' side

# Bytes that are not UTF-8, and dates that are none or far away.
raw_commit() {
    printf 'tree %s\nparent %s\n%b' "$(git rev-parse 'HEAD^{tree}')" "$(git rev-parse HEAD)" "$1" |
        git hash-object --literally -t commit -w --stdin
}
git reset -q --hard "$(raw_commit 'author X\0377 <x> 1767225603 +9999\ncommitter X <x> 1 +0000\n\nbroken \0351" bytes \0303')"
git reset -q --hard "$(raw_commit 'author X <x> 99999999999999 +0000\ncommitter X <x> 1 +0000\n\n  \n\nhotfix/far')"
git reset -q --hard "$(raw_commit 'author X <x>\ncommitter X <x>\n\nno date')"

items() { "$root/scripts/history-items.sh" "$@"; }
fields() { sed 's/"commit":"[0-9a-f]*"/"commit":"#"/'; }

expected=$(
    cat <<'END'
{"content":"commit 0123456789012345678901234567890123456789\n\nparents a b\n:100644 is no file\n \"quoted\" \\u0041 & \\&\u0009tab\u0001\u001b[31m\u000dend","tokens":29,"kind":"Change","source":"git","timestamp":"2001-02-28T23:29:59Z","tags":["a\"b\\c\u0009d","späce é","src","."],"metadata":{"commit":"#","author":"Ann \"the \\ Ünusual\" B","filesChanged":5}}
{"content":"Fixed: a leap day","tokens":5,"kind":"Fix","source":"git","timestamp":"2024-03-01T00:00:00Z","tags":["."],"metadata":{"commit":"#","author":"Ann \"the \\ Ünusual\" B","filesChanged":1}}
END
)
same "awkward text" "$expected" "$(items HEAD~5 | fields)"
same "a merge, and what it merges" '"Change" 2026-01-01T00:00:00Z ["docs"]
"Change" 2026-01-01T00:00:01Z ["."]
"Merge" 2026-01-01T00:00:02Z' \
    "$(items HEAD~5..HEAD~3 | sed 's/.*"kind":\("[A-Za-z]*"\).*"timestamp":"\([^"]*\)"\(,"tags":\([^]]*]\)\)*.*/\1 \2 \4/; s/ $//' | sort)"
same "no message" 1 "$(items | grep -c '^{"content":"(no message)",')"
same "not UTF-8" '{"content":"broken \" bytes ","kind":"Change","source":"git","timestamp":"2026-01-01T00:00:03Z","metadata":{"commit":"#","author":"X","filesChanged":0}}' \
    "$(items | grep broken | fields | sed 's/"tokens":[0-9]*,//')"
same "dates that cannot be told" 2 "$(items -n 2 | grep -vc timestamp)"
same "a fix by its first words" '"kind":"Fix"' "$(items | grep far | grep -o '"kind":"[A-Za-z]*"')"
items >"$temporary/history"
same "every commit is a line" "$(git rev-list --count HEAD)" "$(wc -l <"$temporary/history")"
same "the lines are items" "$(git rev-list --count HEAD)" \
    "$("$output/rank" --json "$root/examples/data/history-scorer.json" "$temporary/history" | wc -l)"
mkdir -p below
same "from a folder below" "$(cat "$temporary/history")" "$(cd below && items)"

git clone -q --depth 4 "file://$repository" "$temporary/shallow"
cd "$temporary/shallow"
same "the edge of a shallow clone has no tags" 0 "$(items | grep -c '"tags"')"
same "and a merge there is still a merge" 1 "$(items | grep -c '"kind":"Merge"')"
cd "$root"

# place NAME: a folder with what the demo needs.
place() {
    mkdir -p "$temporary/$1/examples"
    cp -R scripts "$temporary/$1"
    cp -R examples/c examples/data "$temporary/$1/examples"
}
demo() { CUPEL_LIB_DIR=$library CUPEL_INCLUDE_DIR=$include "$temporary/$1/scripts/demo.sh"; }
session="No history here. What to keep of an agent's session at its end in 1500 tokens:"

place archive
same "demo: an archive" "$session" "$(demo archive | head -n 1)"
same "demo: rows of the session" "23 of $(wc -l <examples/data/agent-session.jsonl) items" "$(demo archive | tail -n 1)"

place repository/nested
same "demo: an archive unpacked in a checkout" "$session" "$(demo repository/nested | head -n 1)"

place repository
same "demo: a clone" "What to keep of the last 8 commits of this checkout in 1500 tokens:" \
    "$(demo repository | head -n 1)"
same "demo: its commits" "8 of 8 items" "$(demo repository | tail -n 1)"

place shallow
same "demo: a shallow clone with few commits" "$session" "$(demo shallow | head -n 1)"

place unborn
git init -q "$temporary/unborn"
same "demo: no commit yet" "$session" "$(demo unborn | head -n 1)"
report history

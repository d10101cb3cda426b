#!/bin/sh
# Prints the commits of the git checkout it stands in as items, one JSON object a
# line, oldest first. Arguments go to `git log`:
#
#     scripts/history-items.sh -n 500 --since=2025-01-01
#
# An item is a commit: its message is the content, its author date the timestamp,
# and the top-level folders that it touched are the tags (`.` stands for files
# beside them). The kind is Merge, Fix or Change; tokens are a quarter of the
# message's bytes, rounded up. A merge has no tags: what it brings in is counted at
# the commits that it merges.
set -eu

cd "$(git rev-parse --show-toplevel)"

# At the edge of a shallow clone git knows no parent to compare with and reports
# every file as touched, so these commits are known by name and get no tags.
shallow=$(git rev-parse --git-path shallow)
[ -f "$shallow" ] || shallow=/dev/null

# The lines of a message are indented by one blank and those of the raw diff begin
# with a colon, so that neither can be taken for one of the others. The options keep
# a user's settings out of the output.
commits() {
    git -c log.showSignature=false -c log.showRoot=true -c core.quotePath=false log \
        --encoding=UTF-8 --no-color --no-ext-diff --no-renames --no-relative --no-notes \
        --raw --reverse --topo-order \
        --format='commit %H%nparents %P%nseconds %at%nauthor %an%n%w(0,1,1)%B%w()' "$@"
}

to_items() {
    LC_ALL=C awk -v shallow="$shallow" '
    function replaced(text, character, by,    parts, len, i, out) {
        len = split(text, parts, character)
        out = parts[1]
        for (i = 2; i <= len; i++) out = out by parts[i]
        return out
    }

    function quoted(text,    code) {
        gsub(/["\\]/, "\\\\&", text)
        text = replaced(text, "\n", "\\n")
        if (text ~ /[\001-\037]/)
            for (code = 1; code < 32; code++)
                text = replaced(text, sprintf("%c", code), sprintf("\\u%04x", code))
        return "\"" text "\""
    }

    # Unix seconds as RFC 3339 in UTC; empty where nanoseconds would not fit 64 bits.
    # The year is taken to begin in March, which puts the leap day at its end.
    function instant(seconds,    days, rest, era, day, year, month) {
        if (seconds !~ /^-?[0-9]+$/ || seconds < -9223372036 || seconds > 9223372036) return ""
        days = int(seconds / 86400)
        if (days * 86400 > seconds) days--
        rest = seconds - days * 86400
        days += 719468
        era = int(days / 146097)
        day = days - era * 146097
        year = int((day - int(day / 1460) + int(day / 36524) - int(day / 146096)) / 365)
        day -= 365 * year + int(year / 4) - int(year / 100)
        month = int((5 * day + 2) / 153)
        day = day - int((153 * month + 2) / 5) + 1
        month = month < 10 ? month + 3 : month - 9
        year += era * 400 + (month <= 2)
        return sprintf("%04d-%02d-%02dT%02d:%02d:%02dZ", year, month, day, \
            int(rest / 3600), int(rest % 3600 / 60), rest % 60)
    }

    function kind_of(subject) {
        if (parents > 1 || (commit in edge && subject ~ /^Merge /)) return "Merge"
        return tolower(subject) ~ /(^|[^a-z])(bug|hot)?(fix|fixes|fixed|fixup)([^a-z]|$)/ ? "Fix" : "Change"
    }

    # Git puts a path that has a quote, a backslash or a control character between
    # quotes and escapes it as C does.
    function unescaped(path,    out, character) {
        if (path !~ /^"/) return path
        path = substr(path, 2, length(path) - 2)
        while (path != "") {
            character = substr(path, 1, 1)
            path = substr(path, 2)
            if (character == "\\") {
                character = substr(path, 1, 1)
                if (character ~ /[0-7]/) {
                    character = sprintf("%c", character * 64 + substr(path, 2, 1) * 8 + substr(path, 3, 1))
                    path = substr(path, 4)
                } else {
                    path = substr(path, 2)
                    if (character in escapes) character = escapes[character]
                }
            }
            out = out character
        }
        return out
    }

    function print_item(    subject, time) {
        if (commit == "") return
        sub(/^[ \n]+/, "", message)
        sub(/[ \n]+$/, "", message)
        if (message == "") message = "(no message)"
        subject = message
        sub(/\n.*/, "", subject)
        time = instant(seconds)
        printf "{\"content\":%s,\"tokens\":%d", quoted(message), int((length(message) + 3) / 4)
        printf ",\"kind\":\"%s\",\"source\":\"git\"", kind_of(subject)
        if (time != "") printf ",\"timestamp\":\"%s\"", time
        if (tags != "") printf ",\"tags\":[%s]", tags
        printf ",\"metadata\":{\"commit\":\"%s\",\"author\":%s", commit, quoted(author)
        if (has_files) printf ",\"filesChanged\":%d", files
        print "}}"
    }

    BEGIN {
        while ((getline line < shallow) > 0) edge[line] = 1
        escapes["a"] = "\007"; escapes["b"] = "\010"; escapes["t"] = "\011"; escapes["n"] = "\012"
        escapes["v"] = "\013"; escapes["f"] = "\014"; escapes["r"] = "\015"
    }

    /^commit / {
        print_item()
        commit = $2
        seconds = author = message = tags = ""
        files = 0
        split("", seen)
    }
    /^parents/ {
        parents = NF - 1
        has_files = parents < 2 && !(commit in edge)
    }
    /^seconds / { seconds = $2 }
    /^author / { author = substr($0, 8) }
    /^ / { message = message substr($0, 2) "\n" }
    /^:/ && has_files {
        files++
        path = unescaped(substr($0, index($0, "\t") + 1))
        folder = path ~ /\// ? substr(path, 1, index(path, "/") - 1) : "."
        if (!(folder in seen)) {
            seen[folder] = 1
            tags = tags (tags == "" ? "" : ",") quoted(folder)
        }
    }

    END { print_item() }
    '
}

# Git passes on as they are the bytes of a message that names no encoding, and of
# paths; JSON is UTF-8.
to_utf8() {
    if command -v iconv >/dev/null 2>&1; then
        iconv -c -f UTF-8 -t UTF-8 || true
    else
        cat
    fi
}

commits "$@" | to_items | to_utf8

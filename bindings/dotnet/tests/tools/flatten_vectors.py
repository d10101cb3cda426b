#!/usr/bin/env python3
"""Writes the conformance vectors in a form that the test program reads without a TOML or JSON parser.

One token a line, depth first: `{`, `}`, `[`, `]`, `k` a key and `s` a text in base64, `i` an integer, `f` a double by
its bits in hexadecimal, `b` a boolean. The whole is a list of tables with `path` and `vector`, or of a JSON file what is
in it.

usage: flatten_vectors.py DIRECTORY|FILE.json OUTPUT
"""
import base64
import datetime
import json
import pathlib
import re
import struct
import sys

try:
    import tomllib
except ModuleNotFoundError:
    import tomli as tomllib

# tomllib keeps microseconds; the vectors may have nanoseconds. So date-times are read here.
DATETIME = re.compile(
    r"^(\s*[\w.]+\s*=\s*)(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)", re.M)
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def nanoseconds(match):
    key, date, time, fraction, offset = match.groups()
    whole = datetime.datetime.fromisoformat(date + "T" + time + ("+00:00" if offset in "Zz" else offset)) - EPOCH
    seconds = whole.days * 86400 + whole.seconds
    return f"{key}{seconds * 10**9 + int(((fraction or '') + '0' * 9)[:9])}"


def text(value):
    return base64.b64encode(value.encode("utf-8")).decode("ascii")


def tokens(value):
    if isinstance(value, dict):
        yield "{"
        for key, child in value.items():
            yield "k " + text(key)
            yield from tokens(child)
        yield "}"
    elif isinstance(value, list):
        yield "["
        for child in value:
            yield from tokens(child)
        yield "]"
    elif isinstance(value, bool):
        yield f"b {int(value)}"
    elif isinstance(value, int):
        yield f"i {value}"
    elif isinstance(value, float):
        yield "f " + struct.pack(">d", value).hex()
    elif isinstance(value, str):
        yield "s " + text(value)
    else:
        raise ValueError(f"no form for {value!r}")


def vectors_in(directory):
    vectors = []
    for path in sorted(directory.rglob("*.toml")):
        source = DATETIME.sub(nanoseconds, path.read_text(encoding="utf-8"))
        vectors.append({"path": path.relative_to(directory).as_posix(), "vector": tomllib.loads(source)})
    if not vectors:
        sys.exit(f"no vectors under {directory}")
    return vectors


def main():
    source, output = pathlib.Path(sys.argv[1]), sys.argv[2]
    whole = json.loads(source.read_text(encoding="utf-8")) if source.suffix == ".json" else vectors_in(source)
    with open(output, "w", encoding="ascii", newline="\n") as file:
        file.writelines(token + "\n" for token in tokens(whole))


main()

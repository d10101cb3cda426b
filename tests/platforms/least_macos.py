#!/usr/bin/env python3
"""Prints the least macOS that a 64-bit Mach-O file asks for."""
import struct
import sys

LC_VERSION_MIN_MACOSX, LC_BUILD_VERSION = 0x24, 0x32

with open(sys.argv[1], "rb") as file:
    data = file.read()
magic, *_, commands = struct.unpack_from("<5I", data)
if magic != 0xFEEDFACF:
    sys.exit(f"{sys.argv[1]} is no 64-bit Mach-O file")
at = 32
for _ in range(commands):
    command, size = struct.unpack_from("<2I", data, at)
    if command in (LC_VERSION_MIN_MACOSX, LC_BUILD_VERSION):
        version, = struct.unpack_from("<I", data, at + (8 if command == LC_VERSION_MIN_MACOSX else 12))
        print(f"{version >> 16}.{version >> 8 & 0xff}")
    at += size

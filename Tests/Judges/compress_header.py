#!/usr/bin/env python3
"""Compresses the header of a QuickTime movie, as old QuickTime did (QTFF, "Compressed Movie Resources").

    compress_header.py FROM TO

The header must be after the media: its offsets stay right.
"""
import struct
import sys
import zlib


def atom(kind, payload):
    return struct.pack(">I4s", len(payload) + 8, kind) + payload


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    place = 0
    while data[place + 4:place + 8] != b"moov":
        place += struct.unpack(">I", data[place:place + 4])[0]
    header = data[place:]
    packed = atom(b"cmvd", struct.pack(">I", len(header)) + zlib.compress(header))
    with open(sys.argv[2], "wb") as file:
        file.write(data[:place] + atom(b"moov", atom(b"cmov", atom(b"dcom", b"zlib") + packed)))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Prints the atoms of a movie file as JSON, as the package mp4analyser reads them.

    atoms.py FILE

Each atom: its type, where it begins, its size, what the package made of it ("info"), its children. Of an atom without
children the payload is there in hexadecimal too, for what the package has no notion of: references, timecode, channel
layouts. Media data is left out. Exit status 1 and words on standard error when the file cannot be read.
"""
import json
import sys

from mp4analyser import non_iso
from mp4analyser.iso import Mp4File

# It takes every value for text and stops at an image or a number.
non_iso.DataBox = non_iso.UndefinedBox


def describe(box):
    # It drops the © before a type.
    header = box.get_bytes()[4:8] if box.get_top().type != "mdat" else b"mdat"
    atom = {
        "type": header.decode("latin-1"),
        "offset": box.start_of_box,
        "size": box.size,
        "info": box.box_info,
        "children": [describe(child) for child in box.child_boxes],
    }
    if not box.child_boxes and box.type != "mdat":
        atom["hex"] = box.get_bytes()[box.header.header_size:].hex()
    return atom


def main():
    try:
        movie = Mp4File(sys.argv[1])
    except Exception as error:  # whatever a parser may throw at a bad file
        print(f"{sys.argv[1]}: {error!r}", file=sys.stderr)
        return 1
    json.dump([describe(box) for box in movie.child_boxes], sys.stdout, default=str)
    return 0


sys.exit(main())

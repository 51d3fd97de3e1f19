#!/usr/bin/env python3
"""Compares the movies that SameMovies made on two architectures.

  compare.py FIRST SECOND

All must be the same byte for byte, but aac.mov: libavcodec's AAC encoder computes with floating point. Of that, the packets must have the same
count, times and durations, and decoded samples must differ by at most 1e-4 of full scale. Both are decoded by one FFmpeg, that on PATH.
Exit status 1: something differs; the first difference of each movie is printed.
"""
import array
import json
import pathlib
import subprocess
import sys

TOLERANCE = 1e-4
# Movies whose bytes may differ, because of floating point.
INEXACT = {"aac.mov"}


def fail(status, words):
    print(f"compare: {words}", file=sys.stderr)
    sys.exit(status)


def output(*command):
    return subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout


def packets(path):
    """The time and the duration of each."""
    text = output("ffprobe", "-v", "error", "-show_entries", "packet=pts_time,dts_time,duration_time", "-of", "json", path)
    return [tuple(sorted(packet.items())) for packet in json.loads(text)["packets"]]


def samples(path):
    found = array.array("f")
    found.frombytes(output("ffmpeg", "-v", "error", "-xerror", "-i", path, "-f", "f32le", "-"))
    return found


def first_difference(one, other):
    """The position of the first byte or item that differs, or where the shorter one ends."""
    for index, (a, b) in enumerate(zip(one, other)):
        if a != b:
            return index
    return min(len(one), len(other))


def fault(name, first, second):
    """What differs between two movies, in words; None if nothing does that must not."""
    one, other = (first / name).read_bytes(), (second / name).read_bytes()
    if one == other:
        return None
    if name not in INEXACT:
        return f"differs from byte {first_difference(one, other)} of {len(one)} and {len(other)} on"
    times = packets(first / name), packets(second / name)
    if times[0] != times[1]:
        return f"has other packets from number {first_difference(*times)} of {len(times[0])} and {len(times[1])} on"
    decoded = samples(first / name), samples(second / name)
    if len(decoded[0]) != len(decoded[1]):
        return f"has {len(decoded[0])} and {len(decoded[1])} samples"
    difference = max((abs(a - b) for a, b in zip(*decoded)), default=0)
    if difference > TOLERANCE:
        return f"differs by {difference:.2g} of full scale, at most {TOLERANCE:g} is allowed"
    print(f"{name}: not the same bytes, {len(times[0])} packets at the same times, decoded within {difference:.2g}")
    return None


def main(arguments):
    if arguments in (["-h"], ["--help"]):
        print(__doc__.strip())
        return
    if len(arguments) != 2:
        fail(64, "needs two directories")
    first, second = map(pathlib.Path, arguments)
    names = sorted(path.name for path in first.glob("*.m??"))
    if not names or names != sorted(path.name for path in second.glob("*.m??")):
        fail(65, f"{first} and {second} do not have the same movies")
    missing = INEXACT - set(names)
    if missing:
        fail(65, f"no {', '.join(sorted(missing))} in {first}")
    faults = {name: words for name in names if (words := fault(name, first, second))}
    for name, words in faults.items():
        print(f"{name}: {words}")
    print(f"{len(names)} movies, {len(faults)} differ")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main(sys.argv[1:])

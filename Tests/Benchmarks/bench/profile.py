"""How much of a program's processor time is x264's, by samples of what it was doing (perf-record(1))."""
import collections
import re
import subprocess
from dataclasses import dataclass
from typing import NamedTuple

# What everybody calls.
SHARED = re.compile(r"\[kernel|\[vdso|\[unknown|/(libc|libm|libpthread|ld-linux-x86-64)[.-]")


class Parts(NamedTuple):
    """Of all samples, from 0 to 1."""

    not_x264: float
    libavcodec: float  # of that: AAC on both sides, FFmpeg's JPEG


@dataclass
class Thread:
    x264: int = 0
    libavcodec: int = 0
    other: int = 0
    shared: int = 0  # in the kernel and in the C library


def parts(path: str) -> Parts:
    """What is shared is divided as the thread's other samples are."""
    text = subprocess.run(["perf", "script", "-i", path, "-F", "tid,ip,dso"], capture_output=True, text=True, check=True).stdout
    threads = collections.defaultdict(Thread)
    for line in text.splitlines():
        fields = line.split(None, 2)
        if len(fields) < 3:
            continue
        thread = threads[fields[0]]
        if "/libx264.so" in fields[2]:
            thread.x264 += 1
        elif "/libavcodec.so" in fields[2]:
            thread.libavcodec += 1
        elif SHARED.search(fields[2]):
            thread.shared += 1
        else:
            thread.other += 1
    total = x264 = libavcodec = 0.0
    for thread in threads.values():
        own = thread.x264 + thread.libavcodec + thread.other
        total += own + thread.shared
        x264 += thread.x264 + thread.shared * (thread.x264 / own if own else 0)
        libavcodec += thread.libavcodec + thread.shared * (thread.libavcodec / own if own else 0)
    return Parts(1 - x264 / total, libavcodec / total)

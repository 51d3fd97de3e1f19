"""How much of a program's processor time is x264's, by samples of what it was doing (perf-record(1))."""
import collections
import re
import subprocess
from dataclasses import dataclass
from typing import Iterator, NamedTuple

# Nanoseconds of processor time between two samples of a program that is sampled from its start on.
PERIOD = 250_000
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
    threads = collections.defaultdict(Thread)
    for fields in samples(path):
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


class Cost(NamedTuple):
    """Seconds of processor time of a program that was sampled from its start on."""

    whole: float
    own: float  # neither in the kernel nor in x264 and libavcodec

    def __sub__(self, other: "Cost") -> "Cost":
        return Cost(self.whole - other.whole, self.own - other.own)


def sampled(command: list[str], path: str) -> list[str]:
    """The same command, with a sample of each thread after each `PERIOD` of its processor time."""
    return ["perf", "record", "-q", "-e", "cpu-clock", "-c", str(PERIOD), "-B", "-N", "-o", path, "--", *command]


def cost(path: str) -> Cost:
    """The C library counts as the program's own, also where a codec calls it: nothing is divided by an assumption."""
    whole = own = 0
    for _, _, library in samples(path):
        whole += 1
        own += not library.startswith("([") and "/libx264.so" not in library and "/libavcodec.so" not in library
    return Cost(whole * PERIOD / 1e9, own * PERIOD / 1e9)


def samples(path: str) -> Iterator[list[str]]:
    """Thread, address and library of each sample; the kernel's name is in brackets."""
    text = subprocess.run(["perf", "script", "-i", path, "-F", "tid,ip,dso"], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        fields = line.split(None, 2)
        if len(fields) == 3:
            yield fields

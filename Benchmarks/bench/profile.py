"""How much of a program's processor time is x264's, by samples of what it was doing (perf-record(1))."""
import collections
import re
import subprocess
from dataclasses import dataclass

# What everybody calls.
SHARED = re.compile(r"\[kernel|\[vdso|\[unknown|/(libc|libm|libpthread|ld-linux-x86-64)[.-]")


@dataclass
class Thread:
    x264: int = 0
    other: int = 0
    shared: int = 0  # in the kernel and in the C library


def part_not_x264(path: str) -> float:
    """Of all samples, the part that is not x264's. What is shared is divided as the thread's other samples are."""
    text = subprocess.run(["perf", "script", "-i", path, "-F", "tid,ip,dso"], capture_output=True, text=True, check=True).stdout
    threads = collections.defaultdict(Thread)
    for line in text.splitlines():
        fields = line.split(None, 2)
        if len(fields) < 3:
            continue
        thread = threads[fields[0]]
        if "/libx264.so" in fields[2]:
            thread.x264 += 1
        elif SHARED.search(fields[2]):
            thread.shared += 1
        else:
            thread.other += 1
    total = not_x264 = 0.0
    for thread in threads.values():
        own = thread.x264 + thread.other
        total += own + thread.shared
        not_x264 += thread.other + thread.shared * (thread.other / own if own else 1)
    return not_x264 / total

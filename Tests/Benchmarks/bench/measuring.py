"""What a command takes: time, processor time, memory. And the order in which two of them are compared."""
import os
import subprocess
import sys
import time
from typing import Callable, NamedTuple


class Run(NamedTuple):
    """One run of one program, with all its threads and the children that it waited for."""

    seconds: float  # on the wall
    cpu: float  # user and system, in seconds
    peak: int  # the largest resident set of the program itself, KiB
    output: str  # what it wrote to standard output


def run(command, what, environment=None, accept=(0,)) -> Run:
    """Runs a command to its end. One that fails ends the benchmark: a number from a failed run is none."""
    place = os.environ.get("BENCH_PLACE", "/tmp")
    # A program begins with the memory of the one that it was forked from, and the kernel counts that to its peak: time(1) is
    # small, this one is not.
    peak = os.path.join(place, "peak.txt")
    timed = ["/usr/bin/time", "--quiet", "-f", "%M", "-o", peak, *command]
    began = time.monotonic()
    with open(os.path.join(place, "errors.txt"), "w+") as errors:
        process = subprocess.Popen(timed, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
                                   env={**os.environ, **(environment or {})})
        output = process.stdout.read().decode(errors="replace")
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in accept:
            errors.seek(0)
            sys.exit(f"{what} failed with {process.returncode}: {' '.join(command)}\n{errors.read()[-4000:]}")
    with open(peak) as file:
        return Run(seconds, usage.ru_utime + usage.ru_stime, int(file.read()), output)


def alternating(pairs: int, ours: Callable[[], Run], theirs: Callable[[], Run], before: Callable[[], None] | None = None):
    """A B, B A, A B …: a machine that grows slower or faster favours neither. Returns a list of (ours, theirs)."""
    results = []
    for number in range(pairs):
        found = {}
        for name in ("ours", "theirs") if number % 2 == 0 else ("theirs", "ours"):
            if before:
                before()
            # What one run left to the disk is not paid for by the next.
            os.sync()
            found[name] = (ours if name == "ours" else theirs)()
        results.append((found["ours"], found["theirs"]))
    return results

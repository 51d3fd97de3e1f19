"""Many network cameras at once, each recorded by a process of its own, as it is sent.

network-cameras.c is all the cameras in one process. One recorder for each camera, and then one FFmpeg for each, record for the
same time. A packet is lost if a camera skipped it because the program did not read, or if the program counted it as lost.
"""
import os
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Iterator

from . import recording, sources
from .bench import Bench
from .latency import read_metrics
from .measuring import alternating
from .row import Row
from .sources import RATE

SIZE = (1920, 1080)
MEGABITS = 4
SETTLE = 8  # seconds until all connections are there and the programs run as they will continue to run


@dataclass
class Fleet:
    """The programs of one kind, of which each records one camera."""

    cpu: float  # mean of all, percent of a processor
    busiest: float  # the highest
    private: float  # mean of all, MiB
    fattest: float  # the highest
    proportional: float  # mean, MiB: with their parts of what they share
    lost: int  # packets: of all
    frames: int  # in all files
    missing: int  # between the first and the last frame of a file, in all files


def rows(bench: Bench) -> Iterator[Row]:
    name = f"{bench.cameras} cameras 1080p30 {MEGABITS} Mbit/s"
    if not bench.wants(name):
        return
    clip = sources.clip(bench, *SIZE, "h264", megabits=MEGABITS)
    seconds = 10 if bench.quick else 30
    costs = []
    pairs = alternating(bench.pairs, lambda: record(bench, clip, ours, seconds, costs), lambda: record(bench, clip, theirs, seconds, costs))
    one, other = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    show = lambda fleets, key, form="{:.2f}": " ".join(form.format(getattr(fleet, key)) for fleet in fleets)
    yield Row("network", name, "CPU % of a processor, each", [fleet.cpu for fleet in one], target="<= 1", notes={
        "busiest": show(one, "busiest"), "FFmpeg": show(other, "cpu"), "cameras": f"{max(costs):.1f} %"})
    yield Row("network", name, "private memory MiB, each", [fleet.private for fleet in one], target="<= 14", notes={
        "highest": show(one, "fattest"), "FFmpeg": show(other, "private"),
        "Pss": f"{show(one, 'proportional')} : {show(other, 'proportional')}"})
    yield Row("network", name, "packets lost, all", [fleet.lost for fleet in one], target="<= 0", notes={
        "FFmpeg": show(other, "lost", "{}"), "frames": f"{show(one, 'frames', '{}')} : {show(other, 'frames', '{}')}",
        "missing": f"{show(one, 'missing', '{}')} : {show(other, 'missing', '{}')}"})


class Cameras:
    """The cameras, from `with` to its end."""

    def __init__(self, bench: Bench, clip: sources.Clip):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.log = bench.path("cameras.streams")
        self.command = [bench.tool("network-cameras"), str(self.port), clip.path]

    def __enter__(self):
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(self.command, stdout=log)
        sources.wait_for(self.answers, "the cameras")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def answers(self) -> bool:
        with socket.socket() as probe:
            return self.process.poll() is not None or probe.connect_ex(("127.0.0.1", self.port)) == 0

    def url(self, number: int) -> str:
        return f"rtsp://127.0.0.1:{self.port}/{number}"

    def streams(self) -> list[int]:
        """The packets that were skipped in each stream that has ended."""
        with open(self.log) as log:
            return [int(line.split()[3]) for line in log.read().splitlines()]


def ours(bench: Bench, number: int, url: str, output: str) -> list[str]:
    return [bench.recorder, "run", f"camera{number}", "--camera", url, "--microphone", "none", "--overwrite", "--output", output]


def theirs(bench: Bench, number: int, url: str, output: str) -> list[str]:
    return ["ffmpeg", "-y", "-v", "error", "-nostats", "-nostdin", "-rtsp_transport", "tcp", "-i", url, "-c", "copy", *recording.FRAGMENTS,
            output]


def record(bench: Bench, clip: sources.Clip, program, seconds: int, costs: list[float]) -> Fleet:
    outputs = [bench.path(f"camera{number}.mov") for number in range(bench.cameras)]
    environment = {**os.environ, **sources.own_directories(bench)}
    with Cameras(bench, clip) as cameras, open(bench.path("errors.txt"), "w") as errors:
        # One after the other, as cameras do not begin at the same time either.
        processes = []
        for number, output in enumerate(outputs):
            processes.append(subprocess.Popen(program(bench, number, cameras.url(number), output), stdin=subprocess.DEVNULL,
                                              stdout=subprocess.DEVNULL, stderr=errors, env=environment))
            time.sleep(1 / RATE)
        for output in outputs:
            sources.wait_for(lambda: has_begun(output), output, seconds=120)
        time.sleep(SETTLE)
        watched = [*processes, cameras.process]
        before, began = [recording.cpu(process.pid) for process in watched], time.monotonic()
        time.sleep(seconds)
        took = time.monotonic() - began
        used = [(recording.cpu(process.pid) - start) / took * 100 for process, start in zip(watched, before)]
        costs.append(used.pop())
        memory = [rollup(process.pid) for process in processes]
        lost = sum(packets_lost(environment, number) for number in range(len(processes))) if program is ours else 0
        for process in processes:
            recording.end(bench, process)
        # The cameras notice each end.
        sources.wait_for(lambda: len(cameras.streams()) >= len(processes), "the cameras")
        lost += sum(cameras.streams())
    counts = [recording.count(output, "v") for output in outputs]
    for output in outputs:
        os.unlink(output)
    least = min(frames for frames, _ in counts)
    if least < seconds * RATE * 0.5:
        sys.exit(f"a file of {program.__name__} has {least} frames, which is less than half")
    private = [values["Private_Clean"] + values["Private_Dirty"] for values in memory]
    mean = lambda values: sum(values) / len(values)
    return Fleet(mean(used), max(used), mean(private), max(private), mean([values["Pss"] for values in memory]), lost,
                 sum(frames for frames, _ in counts), sum(missing for _, missing in counts))


def has_begun(output: str) -> bool:
    """The recorder's file has another name until it is finalized."""
    return any(os.path.exists(path) and os.path.getsize(path) for path in (output, output.replace(".mov", ".recording.mov")))


def rollup(process: int) -> dict[str, float]:
    """smaps_rollup of proc(5), in MiB."""
    with open(f"/proc/{process}/smaps_rollup") as file:
        words = [line.split() for line in file.read().splitlines()[1:]]
    return {line[0].rstrip(":"): int(line[1]) / 1024 for line in words}


def packets_lost(environment: dict[str, str], number: int) -> int:
    metrics = read_metrics(os.path.join(environment["XDG_RUNTIME_DIR"], "recorder", f"camera{number}.sock"))
    return int(metrics['recorder_network_packets_lost_total{track="video"}'])

"""What a recording costs a card: the bytes that reach the block device for each byte of the movie, and how often it must flush.

A card is an image with ext4 on a loop device, whose counters the kernel keeps (/sys/block/*/stat). The recorder's state is on it
too, as on a board with one card. The camera compresses the frames itself, so the movie grows at the camera's rate. Counted is
everything from the start of the recording until the disk has all of it: media, index, journal, inodes and the state. FFmpeg
writes fragments of the same frames to the same card, and never syncs.

Needs root, for the loop device and the mount.
"""
import os
import subprocess
import sys
import time
from dataclasses import dataclass

from . import recording, sources
from .bench import Bench
from .recording import Settings
from .row import Row
from .sources import Camera

SIZE = 2 << 30
SECTOR = 512  # of /sys/block/*/stat, whatever the device's own
# How often the recorder syncs, the words of its command line for that, and what a power cut costs at most: decisions/file.md.
SYNCS = [("each fragment, 0.7 s", [], "1.5 s")]
# Mbit/s, with the target: at the usual rate hardly more may reach the card than the movie has.
RATES = [(2, ""), (8, "<= 1.05"), (20, "")]


@dataclass
class Counters:
    """Of /sys/block/*/stat (Documentation/block/stat.rst)."""

    writes: int
    bytes: int
    flushes: int

    def __sub__(self, other: "Counters") -> "Counters":
        return Counters(self.writes - other.writes, self.bytes - other.bytes, self.flushes - other.flushes)


class Card:
    """An image with a new ext4, mounted from `with` to its end."""

    def __init__(self, bench: Bench):
        self.image = bench.path("card.img")
        self.place = bench.path("card")

    def __enter__(self):
        with open(self.image, "wb") as image:
            image.truncate(SIZE)
        # Nothing may be left to do for the kernel in the background.
        run("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", self.image)
        self.device = run("losetup", "--find", "--show", self.image).strip()
        os.makedirs(self.place, exist_ok=True)
        try:
            # As Raspberry Pi OS mounts its card.
            run("mount", "-o", "noatime", self.device, self.place)
        except BaseException:
            run("losetup", "--detach", self.device)
            raise
        return self

    def __exit__(self, *_):
        run("umount", self.place)
        run("losetup", "--detach", self.device)
        os.unlink(self.image)

    def path(self, name: str) -> str:
        return os.path.join(self.place, name)

    def counters(self) -> Counters:
        """Once everything that was written is on the device."""
        run("sync", "--file-system", self.place)
        with open(f"/sys/block/{os.path.basename(self.device)}/stat") as stat:
            values = [int(word) for word in stat.read().split()]
        if len(values) < 17:
            sys.exit(f"{self.device}: the kernel does not count flushes; it must be 5.5 or later")
        return Counters(values[4], values[6] * SECTOR, values[15])


@dataclass
class Written:
    """A recording on a card."""

    ratio: float  # bytes that reached the device for each byte of the movie
    flushes: float  # a minute
    writes: float  # a minute
    megabits: float  # of the movie, a second


def rows(bench: Bench):
    if os.geteuid() != 0:
        print("sdcard: left out; it needs root for a loop device: sudo -E scripts/bench --rows sdcard", file=sys.stderr)
        return
    for megabits, target in RATES:
        for name, words, cost in SYNCS:
            name = f"{megabits} Mbit/s, sync {name}"
            if not bench.wants(name):
                continue
            with Camera(bench, sources.clip(bench, 1280, 720, "h264", megabits=megabits)) as camera:
                yield row(bench, name, Settings(camera), words, cost, target)


def row(bench: Bench, name: str, settings: Settings, words: list[str], cost: str, target: str) -> Row:
    ours, theirs = [], []
    # It varies little, and a minute has many fragments.
    for _ in range(min(bench.pairs, 2)):
        ours.append(record(bench, settings, lambda output: recording.recorder(bench, settings, output) + words))
        theirs.append(record(bench, settings, lambda output: recording.ffmpeg(bench, settings, output)))
    mean = lambda values: sum(values) / len(values)
    return Row("sdcard", name, "bytes on the card per byte", [one.ratio for one in ours], target=target, notes={
        "flushes a minute": f"{mean([one.flushes for one in ours]):.0f}",
        "writes a minute": f"{mean([one.writes for one in ours]):.0f}",
        "Mbit/s": f"{mean([one.megabits for one in ours]):.1f}",
        "a power cut costs": cost,
        "FFmpeg": f"{mean([one.ratio for one in theirs]):.3f}, {mean([one.flushes for one in theirs]):.0f} flushes a minute"})


def record(bench: Bench, settings: Settings, command) -> Written:
    """Records for a minute onto a card of its own."""
    seconds = 10 if bench.quick else 60
    with Card(bench) as card:
        output = card.path("movie.mov")
        environment = {**recording.environment(bench, settings), "XDG_STATE_HOME": card.path("state")}
        before = card.counters()
        with open(bench.path("errors.txt"), "w") as errors:
            process = subprocess.Popen(command(output), env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=errors)
        began = time.monotonic()
        time.sleep(seconds)
        recording.end(bench, process)
        minutes = (time.monotonic() - began) / 60
        size = os.path.getsize(output)
        if size < settings.camera.clip.width:
            sys.exit(f"{' '.join(process.args)} wrote only {size} bytes")
        used = card.counters() - before
    return Written(used.bytes / size, used.flushes / minutes, used.writes / minutes, size * 8 / 1e6 / (minutes * 60))


def run(*command: str) -> str:
    return subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True).stdout

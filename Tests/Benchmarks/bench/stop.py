"""How long a stop takes, and how much memory a recording, after seconds and after ten hours."""
import json
import mmap
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import Iterator

from . import sources
from .bench import Bench
from .row import Row

# Hours pass as fast as all can encode so small a frame on two processors.
PACE = 100
HOUR = 3600
SMALL = "64x48 30 fps and audio"
OURS = ["{recorder}", "run", "stop", "--camera", "test", "--microphone", "test", "--size", "64x48", "--frame-rate", "30",
        "--sample-rate", "8000", "--channels", "1", "--audio-bit-rate", "16k", "--overwrite", "--output"]
THEIRS = ["ffmpeg", "-y", "-v", "error", "-re", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=30,format=nv12",
          "-re", "-f", "lavfi", "-i", "sine=sample_rate=8000", "-c:v", "libx264", "-preset", "veryfast", "-crf", "23",
          "-g", "60", "-pix_fmt", "yuv420p", "-c:a", "aac", "-b:a", "16k"]
FRAGMENTED = [*THEIRS, "-movflags", "frag_keyframe+empty_moov"]


def rows(bench: Bench) -> Iterator[Row]:
    """A plain movie is what people let FFmpeg write; the same in fragments is measured too, for an hour."""
    seconds = 10 if bench.quick else 40
    name = f"720p30 YUYV and audio, {seconds} s"
    if bench.wants(name):
        yield from real_size(bench, name, seconds)
    # Quick: a tenth of it.
    hour, scale = (HOUR // 10, ("6 min", "1 h")) if bench.quick else (HOUR, ("1 h", "10 h"))
    name = f"{scale[0]} {SMALL}"
    if bench.wants(name):
        ours, theirs, fragmented = small(bench, [OURS, THEIRS, FRAGMENTED], [hour])
        yield stopping(name, ours, theirs, fragmented)
    name = f"{scale[1]} {SMALL}"
    if bench.wants(name):
        ours, theirs = small(bench, [OURS, THEIRS], [hour, 10 * hour])
        yield stopping(name, ours, theirs, target="< 1")
        # Not of two programs: of one at two times.
        yield Row("stop", name, "peak memory MiB", [ours.peaks[1]], [ours.peaks[0]], f"itself after {scale[0]}",
                  target="<= 1.05", notes={"FFmpeg grew by": f"{theirs.peaks[1] / theirs.peaks[0]:.2f}"})
        yield Row("stop", name, "peak memory MiB, with stop", [ours.final_peak], [theirs.final_peak], target="<= 0.8")


@dataclass
class Ended:
    """A recording that was stopped."""

    seconds: float = 0  # from the signal to the program's end
    cpu: float = 0  # processor seconds of that
    peaks: list[float] = field(default_factory=list)  # VmHWM at each mark, MiB
    final_peak: float = 0  # with what the stop took
    frames: int = 0
    duration: float = 0


def stopping(name: str, ours: Ended, theirs: Ended, fragmented: Ended | None = None, target: str = "") -> Row:
    """What must hold is ours alone: less than a second, however long it was."""
    notes = {"FFmpeg": f"{theirs.seconds:.3f}", "CPU s": f"{ours.cpu:.2f} : {theirs.cpu:.2f}", "frames": f"{ours.frames} : {theirs.frames}",
             "hours": f"{ours.duration / HOUR:.3g} : {theirs.duration / HOUR:.3g}"}
    if fragmented:
        notes["FFmpeg in fragments"] = f"{fragmented.seconds:.3f}"
    return Row("stop", name, "s until whole", [ours.seconds], target=target, notes=notes)


def real_size(bench: Bench, name: str, seconds: int) -> Iterator[Row]:
    """A camera and a microphone, in real time."""
    clip = sources.clip(bench, 1280, 720, "yuyv")
    found = {}
    for who in ("ours", "theirs"):
        with sources.Camera(bench, clip) as camera:
            environment = {**os.environ, **camera.environment, **sources.microphone(bench), **sources.own_directories(bench)}
            output = bench.path(f"{who}.mov")
            if who == "ours":
                command = [bench.recorder, "run", "stop", "--camera", camera.device, "--microphone", "drifting", "--size", clip.size,
                           "--frame-rate", str(sources.RATE), "--pixel-format", clip.kind, "--overwrite", "--output", output]
            else:
                command = ["ffmpeg", "-y", "-v", "error", "-f", "v4l2", "-framerate", str(sources.RATE), "-video_size", clip.size,
                           "-input_format", sources.FFMPEG_NAME[clip.kind], "-ts", "abs", "-i", camera.device,
                           "-f", "alsa", "-ar", "48000", "-ac", "2", "-i", "drifting", "-c:v", "libx264", "-preset", "veryfast",
                           "-crf", "23", "-g", "60", "-pix_fmt", "yuv420p", "-fps_mode", "passthrough", "-c:a", "aac", "-b:a", "128k",
                           output]
            process = start(command, environment, bench)
            time.sleep(seconds)
            found[who] = stop(process, output, [peak(process)])
    yield stopping(name, found["ours"], found["theirs"], target="< 1")
    yield Row("stop", name, "peak memory MiB", [found["ours"].final_peak], [found["theirs"].final_peak], target="<= 0.8")


def small(bench: Bench, programs: list[list[str]], marks: list[int]) -> list[Ended]:
    """Small frames and audio, all programs side by side, for this many seconds by a clock that runs faster; the marks say
    when memory is looked at."""
    clock = Clock(bench)
    environment = {**os.environ, **sources.own_directories(bench), **clock.environment}
    outputs = [bench.path(f"{number}.mov") for number in range(len(programs))]
    processes = [start([word.format(recorder=bench.recorder) for word in words] + [output], environment, bench)
                 for words, output in zip(programs, outputs)]
    began = time.monotonic()
    peaks = [[] for _ in programs]
    for mark in marks:
        while time.monotonic() < began + mark / PACE:
            for process in processes:
                if process.poll() is not None:
                    fail(bench, process)
            time.sleep(0.1)
        for process, values in zip(processes, peaks):
            values.append(peak(process))
    # The stop itself by the system's clock, and nothing is left over from before it.
    clock.slow_down()
    time.sleep(2)
    ended = [stop(process, output, values) for process, output, values in zip(processes, outputs, peaks)]
    for output in outputs:
        os.unlink(output)
    return ended


class Clock:
    """quickclock.c"""

    def __init__(self, bench: Bench):
        path = bench.path("clock")
        with open(path, "wb") as file:
            file.write(bytes(32))
        with open(path, "r+b") as file:
            self.values = memoryview(mmap.mmap(file.fileno(), 32)).cast("q")
        self.values[1], self.values[3] = time.monotonic_ns(), PACE
        self.environment = {"LD_PRELOAD": bench.tool("quickclock.so"), "QUICKCLOCK": path}

    def slow_down(self):
        now = time.monotonic_ns()
        self.values[0] = 1
        self.values[2] += (now - self.values[1]) * (self.values[3] - 1)
        self.values[1], self.values[3] = now, 1
        self.values[0] = 2


def start(command: list[str], environment: dict, bench: Bench) -> subprocess.Popen:
    os.sync()
    with open(bench.path("errors.txt"), "w") as errors:
        return subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors)


def stop(process: subprocess.Popen, output: str, peaks: list[float]) -> Ended:
    before, began = processor_time(process), time.monotonic()
    process.send_signal(signal.SIGINT)
    # Not ru_maxrss of getrusage(2), which also counts this very program as it was when it forked.
    highest = peaks[-1]
    while True:
        found, status, usage = os.wait4(process.pid, os.WNOHANG)
        if found:
            break
        highest = max(highest, peak(process))
        time.sleep(0.002)
    process.returncode = os.waitstatus_to_exitcode(status)
    ended = Ended(time.monotonic() - began, usage.ru_utime + usage.ru_stime - before, peaks, highest)
    # FFmpeg says by 255 that it was asked to stop.
    if process.returncode not in (0, 255):
        sys.exit(f"{' '.join(process.args)}: failed with {process.returncode}")
    # Counted, since fragments say nothing of their number.
    text = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v", "-count_packets", "-show_entries",
                           "stream=nb_read_packets:format=duration", "-of", "json", output], capture_output=True, check=True).stdout
    facts = json.loads(text)
    ended.frames, ended.duration = int(facts["streams"][0]["nb_read_packets"]), float(facts["format"]["duration"])
    return ended


def peak(process: subprocess.Popen) -> float:
    """VmHWM of proc(5), in MiB."""
    with open(f"/proc/{process.pid}/status") as status:
        # One that has just ended has none.
        return next((int(line.split()[1]) for line in status if line.startswith("VmHWM")), 0) / 1024


def processor_time(process: subprocess.Popen) -> float:
    """utime and stime of proc(5), in seconds."""
    with open(f"/proc/{process.pid}/stat") as status:
        return sum(map(int, status.read().rpartition(")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")


def fail(bench: Bench, process: subprocess.Popen):
    with open(bench.path("errors.txt")) as errors:
        sys.exit(f"{' '.join(process.args)}: ended unexpectedly\n{errors.read()[-4000:]}")

"""What is lost when the processor is wanted by others, when several cameras are recorded at once, and when a scene is suddenly hard.

A frame is lost that the camera took between the first one in the file and the interrupt that ended the recording, and that is
not in the file. Other programs are busy processes of the same priority: a share of two processors in turns of 20 ms, or this many
processes that never rest. Both programs have the preset that leaves this machine a third to spare without them.

The last row shows that nothing was paid for it: without pressure the frames are as good as with `--on-overload drop`.
"""
import collections
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from typing import Iterator

from . import recording, sources
from .bench import Bench
from .recording import Settings
from .row import Row
from .sources import RATE, Camera
from .start import number_of_first_frame

HOG = """
import sys, time
busy = float(sys.argv[1]) * 0.02
while True:
    end = time.monotonic() + busy
    while time.monotonic() < end: pass
    if busy < 0.02: time.sleep(0.02 - busy)
"""
# Frames that were on their way when the recording was interrupted: not lost, whichever program leaves them out.
ON_THE_WAY = 3
# As root; others have none anyway (setpriv(1)).
WITHOUT_PRIORITY = ["setpriv", "--bounding-set", "-sys_nice", "--"] if os.geteuid() == 0 else []


def rows(bench: Bench) -> Iterator[Row]:
    loads = {f"1080p30, {load} of 2 processors busy": [load / 2] * 2 for load in (0.5, 1.0, 1.5)}
    loads |= {f"1080p30, {count} busy processes": [1.0] * count for count in (2, 3, 4)}
    burst, quality = "1080p30, a burst of noise", "1080p30, quality without pressure"
    if any(bench.wants(name) for name in [*loads, burst, quality]):
        preset = fitting_preset(bench)
        if any(bench.wants(name) for name in [*loads, quality]):
            with Camera(bench, sources.clip(bench, 1920, 1080, "yuyv"), numbered=True) as camera:
                for name, load in loads.items():
                    if bench.wants(name):
                        yield from compare(bench, name, [Settings(camera, preset)], load)
                if bench.wants(quality):
                    yield unpaid(bench, quality, Settings(camera, preset, audio=False))
        if bench.wants(burst):
            with Camera(bench, sources.clip(bench, 1920, 1080, "yuyv", burst=True), numbered=True) as camera:
                yield from compare(bench, burst, [Settings(camera, preset)], [])
    for count, word in ((4, "four"), (6, "six")):
        name = f"{word} cameras 720p30"
        if not bench.wants(name):
            continue
        clip = sources.clip(bench, 1280, 720, "yuyv")
        with contextlib.ExitStack() as all_of_them:
            cameras = [all_of_them.enter_context(Camera(bench, clip, f"camera{number}", numbered=True)) for number in range(count)]
            # One microphone: the first camera's.
            yield from compare(bench, name, [Settings(camera, audio=camera is cameras[0]) for camera in cameras], [])


def fitting_preset(bench: Bench) -> str:
    """The slowest that leaves x264 alone a third of the machine to spare at 1080p30."""
    raw_frames = sources.planar(bench, 1920, 1080, False)
    best, seconds = "ultrafast", 2
    for preset in ("superfast", "veryfast", "faster", "fast", "medium", "slow"):
        result = subprocess.run([bench.tool("x264-alone"), "recorder", raw_frames, "1920", "1080", str(RATE), preset, str(RATE),
                                 str(seconds * RATE)], capture_output=True, text=True, check=True)
        if float(result.stdout.split()[0]) / seconds > (os.cpu_count() or 2) * 2 / 3:
            break
        best = preset
    return best


def compare(bench: Bench, name: str, all_settings: list[Settings], load: list[float]) -> Iterator[Row]:
    """Twice ours: with the priority that the recorder takes where it may, as in a service, and without, as on a desktop."""
    # Longer than what either program may keep waiting.
    seconds = 4 if bench.quick else 12
    lost, taken, eased = collections.defaultdict(list), collections.Counter(), collections.Counter()

    def measure(who: str, command, prefix: list[str] = []):
        with busy(load):
            found = lost_frames(bench, command, all_settings, seconds, prefix)
        lost[who].append(found[0])
        taken[who] += found[1]
        eased[who] += found[2]

    for number in range(bench.pairs):
        turns = [lambda: measure("ours", recording.recorder), lambda: measure("theirs", recording.ffmpeg),
                 lambda: measure("equal", recording.recorder, WITHOUT_PRIORITY)]
        for turn in turns if number % 2 == 0 else reversed(turns):
            os.sync()
            turn()
    for what, who in (("frames lost", "ours"), ("frames lost, no priority", "equal")):
        yield Row("pressure", name, what, lost[who], lost["theirs"], target="<= 0.5", floor="<= 1.0",
                  notes={"of": f"{taken[who]} : {taken['theirs']}", "with less effort": eased[who],
                         "rounds": " ".join(f"{a}:{b}" for a, b in zip(lost[who], lost["theirs"])),
                         "preset": all_settings[0].preset})


def unpaid(bench: Bench, name: str, settings: Settings) -> Row:
    """By how much the frames are worse than with a recorder that never eases anything."""
    worse, eased = [], 0
    for _ in range(bench.pairs):
        found = {}
        for policy in ("adapt", "drop"):
            output = bench.path("quality.mov")
            process = recording.begin(bench, [*recording.recorder(bench, settings, output), "--on-overload", policy], settings)
            time.sleep(6)
            recording.end(bench, process)
            found[policy] = likeness(bench, settings, output)
            eased += with_less_effort(bench, output)
            os.unlink(output)
        worse.append(found["drop"] - found["adapt"])
    return Row("pressure", name, "SSIM less than without easing", worse, target="<= 0.001",
               notes={"with less effort": eased, "preset": settings.preset})


def likeness(bench: Bench, settings: Settings, path: str) -> float:
    """SSIM of a recording and what the camera gave, from its first frame on. The numbers are in one of them only."""
    width, height = settings.camera.clip.width, settings.camera.clip.height
    first = number_of_first_frame(path) % (10 * RATE)
    crop = f"settb=1/{RATE},setpts=N,crop={width}:{height - 32}:0:32"
    result = subprocess.run(
        ["ffmpeg", "-v", "info", "-nostats", "-i", path, "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", settings.camera.clip.size,
         "-stream_loop", "1", "-i", sources.planar(bench, width, height, False), "-lavfi",
         f"[0:v]{crop}[a];[1:v]trim=start_frame={first},{crop}[b];[a][b]ssim=shortest=1", "-f", "null", "-"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    return float(re.findall(r"All:([0-9.]+)", result.stderr)[-1])


def with_less_effort(bench: Bench, path: str) -> int:
    """Frames of a recording of ours that were encoded with less effort, by its own account."""
    result = subprocess.run([bench.recorder, "info", "--json", path], capture_output=True, text=True, check=True)
    return json.loads(result.stdout).get("ledger", {}).get("video", {}).get("eased", 0)


def lost_frames(bench: Bench, command, all_settings: list[Settings], seconds: float, prefix: list[str]) -> tuple[int, int, int]:
    """Lost ones, all that were taken, and those of ours with less effort, of all cameras."""
    outputs = [bench.path(f"pressure{number}.mov") for number in range(len(all_settings))]
    streams = [len(settings.camera.streams()) for settings in all_settings]
    processes = []
    for number, settings in enumerate(all_settings):
        words = command(bench, settings, outputs[number])
        if command is recording.recorder:
            words[2] = f"bench{number}"
        processes.append(recording.begin(bench, prefix + words, settings))
    time.sleep(seconds + 2)
    interrupted = time.monotonic_ns()
    for process in processes:
        process.send_signal(signal.SIGINT)
    for process in processes:
        if process.wait(60) not in (0, 255):
            sys.exit(f"{' '.join(process.args)} ended with {process.returncode}")
    lost = taken = eased = 0
    for settings, output, count in zip(all_settings, outputs, streams):
        sources.wait_for(lambda: len(settings.camera.streams()) > count, "the end of the camera's stream")
        begin = settings.camera.streams()[-1].first
        frames = frames_in(output)
        first = number_of_first_frame(output) if frames else 0
        of_camera = max(0, (interrupted - begin) * RATE // 1_000_000_000 + 1 - first)
        lost += max(0, of_camera - frames - ON_THE_WAY)
        taken += of_camera
        if command is recording.recorder and frames:
            eased += with_less_effort(bench, output)
        if os.path.exists(output):
            os.unlink(output)
    return lost, taken, eased


def frames_in(path: str) -> int:
    """None where a program never got so far as to write a file that can be read."""
    try:
        return recording.count(path, "v")[0]
    except subprocess.CalledProcessError:
        return 0


@contextlib.contextmanager
def busy(load: list[float]):
    """Other programs, each of which wants a share of a processor."""
    hogs = [subprocess.Popen([sys.executable, "-c", HOG, str(part)]) for part in load]
    try:
        yield
    finally:
        for hog in hogs:
            hog.terminate()
            hog.wait()

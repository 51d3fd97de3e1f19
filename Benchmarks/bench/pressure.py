"""What is lost when the processor is wanted by others, and when four cameras are recorded at once.

A picture is lost that the camera took between the first one in the file and the interrupt that ended the recording, and that is
not in the file. Other programs are busy processes of the same priority: so much of two processors each, in turns of 20 ms.
"""
import collections
import contextlib
import os
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
from .start import number_of_first_picture

HOG = """
import sys, time
busy = float(sys.argv[1]) * 0.02
while True:
    end = time.monotonic() + busy
    while time.monotonic() < end: pass
    time.sleep(0.02 - busy)
"""
# Pictures that were on their way when the recording was interrupted: not lost, whoever leaves them out.
ON_THE_WAY = 3
# As root; others have none anyway (setpriv(1)).
WITHOUT_PRIORITY = ["setpriv", "--bounding-set", "-sys_nice", "--"] if os.geteuid() == 0 else []


def rows(bench: Bench) -> Iterator[Row]:
    names = {f"1080p30, {load} of 2 processors busy": load for load in (0.5, 1.0, 1.5)}
    if any(bench.wants(name) for name in names):
        preset = fitting_preset(bench)
        with Camera(bench, sources.clip(bench, 1920, 1080, "yuyv"), numbered=True) as camera:
            for name, load in names.items():
                if bench.wants(name):
                    yield from compare(bench, name, [Settings(camera, preset)], load)
    if bench.wants("four cameras 720p30"):
        clip = sources.clip(bench, 1280, 720, "yuyv")
        with contextlib.ExitStack() as all_of_them:
            cameras = [all_of_them.enter_context(Camera(bench, clip, f"camera{number}", numbered=True)) for number in range(4)]
            # One microphone: the first camera's.
            yield from compare(bench, "four cameras 720p30", [Settings(camera, sound=camera is cameras[0]) for camera in cameras], 0)


def fitting_preset(bench: Bench) -> str:
    """The slowest that leaves x264 alone a third of the machine to spare at 1080p30."""
    pictures = sources.planar(bench, 1920, 1080, False)
    best, seconds = "ultrafast", 2
    for preset in ("superfast", "veryfast", "faster", "fast", "medium", "slow"):
        result = subprocess.run([bench.tool("x264-alone"), "recorder", pictures, "1920", "1080", str(RATE), preset, str(RATE),
                                 str(seconds * RATE)], capture_output=True, text=True, check=True)
        if float(result.stdout.split()[0]) / seconds > (os.cpu_count() or 2) * 2 / 3:
            break
        best = preset
    return best


def compare(bench: Bench, name: str, all_settings: list[Settings], load: float) -> Iterator[Row]:
    """Twice ours: with the priority that the recorder takes where it may, as in a service, and without, as on a desktop."""
    seconds = 4 if bench.quick else 6
    lost, taken = collections.defaultdict(list), collections.Counter()

    def measure(who: str, command, prefix: list[str] = []):
        with busy(load):
            found = lost_pictures(bench, command, all_settings, seconds, prefix)
        lost[who].append(found[0])
        taken[who] += found[1]

    for number in range(min(bench.pairs, 3)):
        turns = [lambda: measure("ours", recording.recorder), lambda: measure("theirs", recording.ffmpeg),
                 lambda: measure("equal", recording.recorder, WITHOUT_PRIORITY)]
        for turn in turns if number % 2 == 0 else reversed(turns):
            os.sync()
            turn()
    for what, who in (("pictures lost", "ours"), ("pictures lost, no priority", "equal")):
        yield Row("pressure", name, what, lost[who], lost["theirs"], target="<= 0.5",
                  notes={"of": f"{taken[who]} : {taken['theirs']}", "preset": all_settings[0].preset})


def lost_pictures(bench: Bench, command, all_settings: list[Settings], seconds: float, prefix: list[str]) -> tuple[int, int]:
    """Lost ones, and all that were taken, of all cameras."""
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
    lost = taken = 0
    for settings, output, count in zip(all_settings, outputs, streams):
        sources.wait_for(lambda: len(settings.camera.streams()) > count, "the end of the camera's stream")
        begin = settings.camera.streams()[-1].first
        frames = pictures_in(output)
        first = number_of_first_picture(output) if frames else 0
        of_camera = max(0, (interrupted - begin) * RATE // 1_000_000_000 + 1 - first)
        lost += max(0, of_camera - frames - ON_THE_WAY)
        taken += of_camera
        if os.path.exists(output):
            os.unlink(output)
    return lost, taken


def pictures_in(path: str) -> int:
    """None where a program never got so far as to write a file that can be read."""
    try:
        return recording.count(path, "v")[0]
    except subprocess.CalledProcessError:
        return 0


@contextlib.contextmanager
def busy(load: float):
    """So many processors' worth of other programs, two of them."""
    hogs = [subprocess.Popen([sys.executable, "-c", HOG, str(load / 2)]) for _ in range(2)] if load else []
    try:
        yield
    finally:
        for hog in hogs:
            hog.terminate()
            hog.wait()

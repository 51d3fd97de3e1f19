"""How soon a recording has begun: what of the time after the command is in the file.

From the program's exec to the time at which the camera gave the first frame that is in the file. The camera paints numbers
into its frames, and says when it gave number 0; the number is read from the file's first frame. So a program that opens
the camera soon and then throws the first frames away does not win by it.
"""
import os
import subprocess
import time

from . import recording, sources
from .bench import Bench
from .measuring import Run, alternating, run
from .recording import Settings
from .row import Row
from .sources import RATE, Camera

RECORDED = 3  # seconds after the beginning


def rows(bench: Bench):
    with Camera(bench, sources.clip(bench, 1280, 720, "yuyv"), numbered=True) as camera:
        settings = Settings(camera)
        if bench.wants("first frame"):
            yield first_frame(bench, settings)
        if bench.wants("start returns"):
            yield start_returns(bench, settings)


def first_frame(bench: Bench, settings: Settings) -> Row:
    output = bench.path("start.mov")
    skipped = {"recorder": 0, "ffmpeg": 0}

    def measure(command) -> Run:
        streams = len(settings.camera.streams())
        began = time.monotonic()
        process = recording.begin(bench, command(bench, settings, output), settings)
        time.sleep(RECORDED)
        recording.end(bench, process)
        sources.wait_for(lambda: len(settings.camera.streams()) > streams, "the end of the camera's stream")
        number = number_of_first_frame(output)
        skipped[command.__name__] = max(skipped[command.__name__], number)
        os.unlink(output)
        return Run(settings.camera.streams()[-1].first / 1e9 + number / RATE - began, 0, 0, "")

    pairs = alternating(bench.pairs, lambda: measure(recording.recorder), lambda: measure(recording.ffmpeg))
    return Row("start", "first frame in the file", "s after exec", [a.seconds for a, _ in pairs], [b.seconds for _, b in pairs],
               target="<= 1.0", notes={"frames left out": f"{skipped['recorder']} : {skipped['ffmpeg']}"})


def start_returns(bench: Bench, settings: Settings) -> Row:
    """`recorder start`, which continues in the background, and returns when the first frame is in the file."""
    results = []
    environment = recording.environment(bench, settings)
    output = bench.path("background.mov")
    for _ in range(bench.pairs):
        words = recording.recorder(bench, settings, output, "started")[2:]
        results.append(run([bench.recorder, "start", *words], "recorder start", environment).seconds)
        run([bench.recorder, "stop", "started"], "recorder stop", environment)
        os.unlink(output)
    return Row("start", "start returns", "s", results)


def number_of_first_frame(path: str) -> int:
    """Reads the 32 squares that paced-camera.c painted."""
    pixels = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-frames:v", "1", "-vf", "crop=512:16:0:0,scale=32:1:flags=area",
                             "-pix_fmt", "gray", "-f", "rawvideo", "-"], stdin=subprocess.DEVNULL, capture_output=True,
                            check=True).stdout
    return sum(1 << (31 - place) for place, value in enumerate(pixels[:32]) if value > 125)

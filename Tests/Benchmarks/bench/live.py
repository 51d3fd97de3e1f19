"""What a live recording costs the processor, once it runs, side by side with FFmpeg.

The processor time is that of the recording process, and of the processes that it has started, from two seconds after its start
on; what starting and stopping take is in other groups. Where frames are encoded, the same x264 calls alone are measured in the same minute, at the same pace, and what
is not x264 is compared too: that is all the difference that is the programs' own.
"""
import os
import shutil
import statistics
import subprocess
import sys
from dataclasses import replace

from . import recording, sources
from .bench import Bench
from .measuring import alternating
from .profile import parts
from .recording import Settings
from .row import Row
from .sources import RATE, Camera

COST = "CPU s per recorded minute"
APPLE = "720p30 by Apple's names"
HELPER = "720p30 YUYV, camera behind libcamera"
STILL = "still slide 1080p30, skip-identical"
# Where its elements do the same job with the same settings.
WITH_GSTREAMER = {"720p30 YUYV", "1080p30 H.264 passed through"}


def rows(bench: Bench):
    for name, width, height, kind, target in [
        ("720p30 YUYV", 1280, 720, "yuyv", "< 1.0"),
        ("1080p30 YUYV", 1920, 1080, "yuyv", "< 1.0"),
        ("1080p30 MJPEG", 1920, 1080, "mjpeg", "<= 0.9"),
        ("1080p30 H.264 passed through", 1920, 1080, "h264", "<= 0.8"),
    ]:
        if bench.wants(name):
            with Camera(bench, sources.clip(bench, width, height, kind)) as camera:
                yield from compare(bench, name, Settings(camera), target)
    if bench.wants(APPLE):
        with Camera(bench, sources.clip(bench, 1280, 720, "yuyv")) as camera:
            yield by_apple_names(bench, Settings(camera))
    if bench.wants(HELPER):
        with Camera(bench, sources.clip(bench, 1280, 720, "yuyv")) as camera:
            yield behind_libcamera(bench, camera)
    if bench.wants("signature"):
        with Camera(bench, sources.clip(bench, 1920, 1080, "h264", megabits=20)) as camera:
            yield signature(bench, camera)
    if bench.wants(STILL):
        with Camera(bench, sources.clip(bench, 1920, 1080, "yuyv", still=True)) as camera:
            yield still(bench, camera)
    if bench.wants("audio alone"):
        yield from compare(bench, "audio alone", Settings(None), "<= 0.8")


def both(pairs, value) -> str:
    """The sum of a value over all runs, ours : theirs."""
    return " : ".join(str(sum(value(run) for run in runs)) for runs in zip(*pairs))


def signature(bench: Bench, camera: Camera) -> Row:
    """What signing costs: the same recording with it and without, in turns."""
    key = bench.path("key")
    if not os.path.exists(key):
        subprocess.run([bench.recorder, "key", "new", "--output", key], check=True, capture_output=True)
    settle, seconds = (2, 4) if bench.quick else (2, 10)
    output = bench.path("live.mov")
    sizes = []

    def measure(settings):
        found = recording.record(bench, recording.recorder(bench, settings, output), settings, settle, seconds)
        sizes.append(found.bytes * 8 / found.frames * RATE / 1e6)
        return found.cpu_per_minute / 60 * 100

    pairs = alternating(bench.pairs, lambda: measure(Settings(camera, key=key)), lambda: measure(Settings(camera)))
    return Row("live", "signature, H.264 of 20 Mbit/s", "% of a processor", [signed - plain for signed, plain in pairs],
               target="< 1.0", notes={"Mbit/s": f"{statistics.median(sizes):.1f}",
                                      "without it": f"{statistics.median(plain for _, plain in pairs):.2f} %"})


def still(bench: Bench, camera: Camera) -> Row:
    """A slide that never changes: with skip-identical, beside the same recording that encodes each frame. What is left is mostly
    the conversion and the comparison."""
    settle, seconds = (2, 4) if bench.quick else (2, 10)
    output = bench.path("live.mov")

    def measure(settings):
        return recording.record(bench, recording.recorder(bench, settings, output), settings, settle, seconds,
                                account=recording.account_of_recorder)

    pairs = alternating(bench.pairs, lambda: measure(Settings(camera, audio=False, skips=True)),
                        lambda: measure(Settings(camera, audio=False)))

    return Row("live", STILL, COST, [a.cpu_per_minute for a, _ in pairs], [b.cpu_per_minute for _, b in pairs],
               "all frames encoded", target="<= 0.2", notes={"stored": both(pairs, lambda run: run.frames), "captured": both(pairs, lambda run: run.account[0]),
                                       "lost": both(pairs, lambda run: run.account[1])})


def by_apple_names(bench: Bench, settings: Settings) -> Row:
    """What a capture program costs that a Mac's programmer has written, beside the recorder: both use the same library."""
    settle, seconds = (2, 4) if bench.quick else (2, 10)
    output = bench.path("live.mov")

    def program():
        return recording.record(bench, recording.capture_program(bench, settings, output), settings, settle, seconds,
                                account=recording.account_of_program)

    def recorder():
        return recording.record(bench, recording.recorder(bench, settings, output), settings, settle, seconds,
                                account=recording.account_of_recorder)

    pairs = alternating(bench.pairs, program, recorder)

    return Row("live", APPLE, COST, [a.cpu_per_minute for a, _ in pairs], [b.cpu_per_minute for _, b in pairs], "the recorder",
               target="<= 1.03", notes={"frames": both(pairs, lambda run: run.frames), "missing": both(pairs, lambda run: run.missing),
                                        "counted": both(pairs, lambda run: run.account[0]), "lost": both(pairs, lambda run: run.account[1])})


def behind_libcamera(bench: Bench, camera: Camera) -> Row:
    """The same frames from a helper process, as from a camera behind libcamera, and through V4L2. The helper's processor time is
    included; that of libcamera is not, because the helper is paced-helper.cpp."""
    settle, seconds = (2, 4) if bench.quick else (2, 10)
    output = bench.path("live.mov")
    # The recorder looks for its helper below its own prefix.
    program, helper = bench.path("prefix", "bin", "recorder"), bench.path("prefix", "libexec", "recorder", "recorder-libcamera")
    for source, copy in [(bench.recorder, program), (bench.tool("paced-helper"), helper)]:
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        shutil.copy(source, copy)
    copied = replace(bench, recorder=program)

    def measure(settings):
        return recording.record(copied, recording.recorder(copied, settings, output), settings, settle, seconds,
                                account=recording.account_of_recorder)

    pairs = alternating(bench.pairs, lambda: measure(Settings(camera, helper=True)), lambda: measure(Settings(camera)))

    return Row("live", HELPER, COST, [a.cpu_per_minute for a, _ in pairs], [b.cpu_per_minute for _, b in pairs], "V4L2",
               target="<= 1.03", notes={"frames": both(pairs, lambda run: run.frames), "captured": both(pairs, lambda run: run.account[0]),
                                        "lost": both(pairs, lambda run: run.account[1])})


def compare(bench: Bench, name: str, settings: Settings, target: str):
    settle, seconds = (2, 4) if bench.quick else (2, 6)
    output = bench.path("live.mov")

    def measure(command):
        return recording.record(bench, command(bench, settings, output), settings, settle, seconds)

    pairs = alternating(bench.pairs, lambda: measure(recording.recorder), lambda: measure(recording.ffmpeg))
    ours, theirs = [a.cpu_per_minute for a, _ in pairs], [b.cpu_per_minute for _, b in pairs]
    notes = {"frames": f"{sum(a.frames for a, _ in pairs)} : {sum(b.frames for _, b in pairs)}",
             "missing": f"{sum(a.missing for a, _ in pairs)} : {sum(b.missing for _, b in pairs)}"}
    yield Row("live", name, COST, ours, theirs, target=target, notes=notes)
    if name in WITH_GSTREAMER:
        others = alternating(min(bench.pairs, 3), lambda: measure(recording.recorder), lambda: measure(recording.gstreamer))
        yield Row("live", name, COST, [a.cpu_per_minute for a, _ in others], [b.cpu_per_minute for _, b in others], "GStreamer",
                  target="< 1.0", notes={"frames": f"{sum(a.frames for a, _ in others)} : {sum(b.frames for _, b in others)}"})
    if settings.camera and not settings.is_copied:
        yield without_x264(bench, name, settings, output, settle, seconds)
        threads = max(a.x264_threads for a, _ in pairs)
        yield less_x264(bench, name, settings, ours, theirs, seconds, threads)


def without_x264(bench: Bench, name: str, settings: Settings, output: str, settle: float, seconds: float) -> Row:
    """By samples, in recordings of their own, since sampling costs something too."""
    profile = bench.path("profile")
    of_libavcodec = {"recorder": [], "ffmpeg": []}

    def measure(command):
        found = recording.record(bench, command(bench, settings, output), settings, settle, seconds, profile)
        of_all = parts(profile)
        of_libavcodec[command.__name__].append(found.cpu_per_minute * of_all.libavcodec)
        return found.cpu_per_minute * of_all.not_x264

    pairs = alternating(min(bench.pairs, 3), lambda: measure(recording.recorder), lambda: measure(recording.ffmpeg))
    ours, theirs = zip(*pairs)
    return Row("live", name, "CPU s, not x264, sampled", list(ours), list(theirs), target="<= 0.5",
               notes={"of it libavcodec": " : ".join(f"{statistics.median(values):.2f}" for values in of_libavcodec.values())})


def less_x264(bench: Bench, name: str, settings: Settings, ours: list[float], theirs: list[float], seconds: int, threads: int) -> Row:
    """By subtraction: a small difference of two large numbers. The samples tell it better."""
    clip = settings.camera.clip
    raw_frames = sources.planar(bench, clip.width, clip.height, clip.kind == "mjpeg")
    alone = {"recorder": [], "ffmpeg": []}
    for _ in range(min(bench.pairs, 2)):
        for form, costs in alone.items():
            result = subprocess.run(
                [bench.tool("x264-alone"), form, raw_frames, str(clip.width), str(clip.height), str(RATE), settings.preset,
                 str(RATE), str(seconds * RATE), str(threads)], capture_output=True, text=True)
            if result.returncode:
                sys.exit(f"x264-alone failed:\n{result.stderr}")
            costs.append(float(result.stdout.split()[0]) / seconds * 60)
    of_ours, of_theirs = statistics.median(alone["recorder"]), statistics.median(alone["ffmpeg"])
    return Row("live", name, "CPU s, less x264 alone", [cost - of_ours for cost in ours], [cost - of_theirs for cost in theirs],
               target="<= 0.5", notes={"x264 alone": f"{of_ours:.2f} : {of_theirs:.2f}", "threads": threads})

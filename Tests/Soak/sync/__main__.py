"""Records network cameras whose clocks are wrong, and compares flashes and beeps with the times at which they were sent.

One camera's clock is fast and one's is slow. Their RTP times jump, and their sender reports lie. The recorder, FFmpeg with `-c copy` and
GStreamer record both at the same time. Each flash of the recorder's files must be within a frame of the time at which it was sent, and
each beep within a frame of its flash. The others store no time of the host, so their first flash is taken as right.
"""
import argparse
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from network.recordings import end, environment, info

from . import content
from .camera import Camera
from .judge import FRAME, judge

TITLE = f"{'':20}{'flash - sent, ms':^26}  {'beep - flash, ms':^26}"
HEAD = f"{'camera':8}{'program':12}" + 2 * f"{'start':>8} {'end':>8} {'worst':>8}  " + f"{'frames':>8} {'missing':>8} {'silent':>7}"


class Program:
    """One program that records one camera."""

    def __init__(self, name, camera, place, words, interrupt=signal.SIGINT):
        self.name, self.camera, self.place, self.interrupt = name, camera, place / camera.name / name, interrupt
        self.place.mkdir(parents=True)
        with open(self.place / "log", "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(words, cwd=self.place, env=environment(self.place), stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(self.interrupt)
        try:
            self.process.wait(120)
        except subprocess.TimeoutExpired:
            end(self.process)

    def log(self):
        return (self.place / "log").read_text(encoding="utf-8", errors="replace").strip()


def recorder(arguments, camera, place):
    return Program("recorder", camera, place, [
        arguments.recorder, "run", camera.name, "--camera", camera.url, "--camera-transport", "tcp", "--output", "take.mov"], signal.SIGTERM)


def ffmpeg(camera, place):
    return Program("FFmpeg", camera, place, [
        "ffmpeg", "-v", "error", "-nostdin", "-rtsp_transport", "tcp", "-i", camera.url, "-c", "copy", "take.mov"])


def gstreamer(camera, place):
    audio = "rtpmp4gdepay ! aacparse" if camera.audio.name == "AAC" else "rtppcmudepay"
    return Program("GStreamer", camera, place, [
        "gst-launch-1.0", "-q", "-e", *f"qtmux name=mux ! filesink location=take.mov rtspsrc location={camera.url} protocols=tcp name=camera "
        f"camera. ! application/x-rtp,media=video ! queue ! rtph264depay ! h264parse ! mux. "
        f"camera. ! application/x-rtp,media=audio ! queue ! {audio} ! mux.".split()])


def files_of(arguments, program):
    """The files of a program, with the host's clock at the beginning of each, as far as that is stored."""
    found = sorted(program.place.glob("*.mov"))
    if program.name != "recorder":
        return [(path, None) for path in found]
    return sorted([(path, info(arguments.recorder, path)["clock"]["start"]) for path in found], key=lambda pair: pair[1])


def problems_of(arguments, program, verdict):
    """What the recorder did wrong."""
    problems = list(verdict.problems)
    if program.process.returncode:
        problems.append(f"it ended with {program.process.returncode}")
    for what, errors in (("flash", verdict.flashes), ("beep", verdict.sync)):
        if not errors.values:
            problems.append(f"no {what} was recorded")
        elif abs(errors.worst) > FRAME:
            beyond = sum(abs(value) > FRAME for value in errors.values)
            problems.append(f"{what}: {beyond} of {len(errors.values)} are off by more than a frame, by up to {1000 * errors.worst:.0f} ms")
    if verdict.missing or verdict.silent:
        problems.append(f"{verdict.missing} frames and {verdict.silent} beeps are missing, although no packet was lost")
    for path in program.place.glob("*.mov"):
        for track, counts in info(arguments.recorder, path)["ledger"].items():
            kept = sum(counts.get(key, 0) for key in ("written", "paused", "repeated"))
            if counts["captured"] != kept or any(counts["dropped"].values()):
                problems.append(f"{path.name}: the ledger of {track} has {counts}")
    return problems


def report(arguments, programs):
    """Prints the table. Returns the problems of the recorder."""
    problems = []
    print(TITLE + "\n" + HEAD)
    for program in programs:
        verdict = judge(program.camera, files_of(arguments, program))
        print(f"{program.camera.name:8}{program.name:12}{verdict.flashes}  {verdict.sync}  {verdict.frames:8} {verdict.missing:8} "
              f"{verdict.silent:7}", flush=True)
        if program.name == "recorder":
            problems += [f"{program.camera.name}: {problem}" for problem in problems_of(arguments, program, verdict)]
        else:
            for problem in verdict.problems[:3]:
                print(f"{'':8}{problem}")
    return problems


def main():
    parser = argparse.ArgumentParser(prog="scripts/soak sync", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--recorder", required=True, help=argparse.SUPPRESS)
    parser.add_argument("hours", nargs="?", type=float, default=2, help="duration (default: 2)")
    parser.add_argument("ppm", nargs="?", type=float, default=200, help="how fast one clock and how slow the other one is (default: 200)")
    parser.add_argument("--minutes", type=float, help="duration in place of HOURS, at least 1")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000), help="decides jumps and wrong reports (default: another each time)")
    parser.add_argument("--keep", metavar="DIRECTORY", help="keep files and logs in this new directory")
    arguments = parser.parse_args()
    seconds = 60 * (60 * arguments.hours if arguments.minutes is None else arguments.minutes)
    if not 60 <= seconds <= 1_000_000:
        parser.error("a minute is the minimum, and 11 days are the maximum")
    print(f"seed {arguments.seed}: {seconds / 60:g} minutes at {arguments.ppm:g} ppm", flush=True)
    place = pathlib.Path(arguments.keep) if arguments.keep else pathlib.Path(tempfile.mkdtemp(prefix="recorder-sync-"))
    place.mkdir(exist_ok=True)
    place = place.resolve()
    video = content.video()
    cameras = [Camera(name, ppm, arguments.seed, seconds, video, audio)
               for name, ppm, audio in (("fast", arguments.ppm, content.aac()), ("slow", -arguments.ppm, content.law()))]
    programs = []
    try:
        for camera in cameras:
            programs += [recorder(arguments, camera, place), ffmpeg(camera, place), gstreamer(camera, place)]
        deadline = time.monotonic() + seconds
        ours = [program for program in programs if program.name == "recorder"]
        while time.monotonic() < deadline and all(program.process.poll() is None for program in ours):
            time.sleep(0.5)
    finally:
        for program in programs:
            program.end()
        for camera in cameras:
            camera.stop()
    try:
        for camera in cameras:
            print(f"{camera.name}: {camera.audio.name}; " + ", ".join(f"{fault.start:.0f} s {fault.kind}" for fault in camera.faults)
                  + f"; packets were sent up to {1000 * camera.latest:.0f} ms late")
        problems = report(arguments, programs)
        problems += [problem for camera in cameras for problem in camera.problems]
        if problems:
            print("\n".join(f"  {problem}" for problem in problems))
            for program in ours:
                print(f"  log of {program.camera.name}: " + program.log()[-3000:])
    finally:
        if not arguments.keep:
            shutil.rmtree(place, ignore_errors=True)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

"""Kills recordings of network cameras at random moments, and measures what each kill cost (scripts/soak network-kills).

A camera numbers its frames. After the kill, `recorder repair` or the next start of the recorder completes the files. Then each frame
that was sent before the kill is in them, byte for byte, but for those of the last 1.5 s (rule 3 of docs/design/design.md), and
`recorder verify` finds no damage.
"""
import argparse
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from . import camera
from .recordings import end, environment, frames_of, info, run

BOUND = 1.5  # seconds: rule 3
LONGEST = 8.0  # seconds that a recording lasts before the kill


def wait_for(condition, what):
    deadline = time.monotonic() + 60
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} within a minute")
        time.sleep(0.02)


def unfinished(place):
    """The unfinished files. One is empty if the kill came between its creation and its first bytes."""
    found = []
    for path in place.glob("*.recording.mov"):
        try:
            if path.stat().st_size:
                found.append(path)
        except FileNotFoundError:
            pass  # finalized meanwhile
    return found


class Kill:
    """One recording that is killed."""

    def __init__(self, arguments, number, chance, frames, sets, place):
        self.recorder, self.number, self.frames = arguments.recorder, number, frames
        self.transport = ("tcp", "udp")[number % 2]
        self.repairs = number // 2 % 2 == 0  # else the next start does
        # Every third recording is in files of two seconds, so that kills meet the change of files too.
        self.options = ["--segment", "2s"] if number % 3 == 2 else []
        self.delay = chance.uniform(0, LONGEST)
        self.place = place / str(number)
        self.place.mkdir()
        self.camera = camera.Camera(self.transport, [], f"{arguments.seed} {number}", frames, sets)
        self.loss, self.problems = None, []

    def start(self):
        with open(self.place / "log", "a", encoding="utf-8") as log:
            return subprocess.Popen(
                [self.recorder, "run", "yard", "--camera", self.camera.url, "--camera-transport", self.transport, "--microphone", "none",
                 "--output", "%H-%M-%S.mov", *self.options],
                cwd=self.place, env=environment(self.place), stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def go(self):
        self.camera.start()
        try:
            process = self.start()
            try:
                wait_for(lambda: unfinished(self.place) or process.poll() is not None, "the recorder did not begin a file")
                # The moment is random; nothing is waited for.
                time.sleep(self.delay)
                if process.poll() is not None:
                    self.problems.append(f"the recorder ended with {process.returncode} before the kill")
            finally:
                process.kill()
                died = self.camera.seconds()
                process.wait()
            files = [path.name.replace(".recording.", ".") for path in self.place.glob("*.mov") if path.stat().st_size]
            sent = [number for number in sorted(self.camera.sent) if number / camera.RATE <= died]
            self.complete()
        finally:
            self.camera.stop()
        if self.camera.problem:
            self.problems.append(f"the camera failed: {self.camera.problem}")
        self.judge([self.place / name for name in files], sent)

    def complete(self):
        """Completes the files as a user does."""
        left = unfinished(self.place)
        if self.repairs:
            for path in left:
                repaired = run(self.recorder, "repair", str(path))
                if repaired.returncode:
                    self.problems.append(f"repair: {repaired.stderr.strip()[-300:]}")
            return
        process = self.start()
        try:
            wait_for(lambda: process.poll() is not None or not any(path.exists() for path in left) and unfinished(self.place),
                     "the next start did not repair and record")
        except TimeoutError as error:
            self.problems.append(str(error))
        finally:
            if not end(process):
                self.problems.append("the next recording did not end within a minute")
        if process.returncode:
            self.problems.append(f"the next recording ended with {process.returncode}")

    def judge(self, files, sent):
        missing = [path.name for path in files if not path.exists()]
        if missing:
            return self.problems.append(f"not completed: {missing}")
        numbers = []
        for path in sorted(files, key=lambda path: info(self.recorder, path)["clock"]["start"]):
            verified = run(self.recorder, "verify", str(path))
            if verified.returncode:
                self.problems.append(f"{path.name}: verify: {(verified.stdout + verified.stderr).strip()[-300:]}")
            for number, units in frames_of(path):
                if number is None or units != camera.marked(self.frames[number % len(self.frames)], number):
                    self.problems.append(f"{path.name}: frame {number} has other bytes than were sent")
                    continue
                numbers.append(number)
        if numbers and numbers != list(range(numbers[0], numbers[0] + len(numbers))):
            self.problems.append(f"frames are missing or out of order between {numbers[0]} and {numbers[-1]}")
        # Without a frame in the files, all from the first keyframe on are lost.
        keys = [number for number in sent if number % camera.RATE == 0]
        last = numbers[-1] if numbers else keys[0] - 1 if keys else sent[-1] if sent else 0
        self.loss = max(0, (sent[-1] if sent else 0) - last) / camera.RATE
        if self.loss > BOUND:
            self.problems.append(f"{self.loss:.2f} s are lost, which is more than {BOUND:g} s")

    def __str__(self):
        how = "repaired" if self.repairs else "repaired by the next start"
        result = "no result" if self.loss is None else f"lost {self.loss:.2f} s"
        return f"no. {self.number} ({self.transport}{' in files of 2 s' if self.options else ''}) after {self.delay:.2f} s, {how}: {result}"


def main():
    parser = argparse.ArgumentParser(prog="scripts/soak network-kills", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--recorder", required=True, help=argparse.SUPPRESS)
    parser.add_argument("count", nargs="?", type=int, default=20, help="number of kills (default: 20)")
    parser.add_argument("seed", nargs="?", type=int, default=random.randrange(1_000_000), help="decides the moments (default: another each time)")
    parser.add_argument("--keep", metavar="DIRECTORY", help="keep files and logs in this new directory")
    arguments = parser.parse_args()
    if arguments.count < 1:
        parser.error("one kill is the minimum")
    print(f"seed {arguments.seed}: {arguments.count} kills", flush=True)
    place = pathlib.Path(arguments.keep) if arguments.keep else pathlib.Path(tempfile.mkdtemp(prefix="recorder-network-kills-"))
    place.mkdir(exist_ok=True)
    frames, sets = camera.clip()
    chance, kills = random.Random(arguments.seed), []
    try:
        for number in range(arguments.count):
            kill = Kill(arguments, number, chance, frames, sets, place.resolve())
            kills.append(kill)
            try:
                kill.go()
            except (TimeoutError, ValueError, KeyError) as error:
                # The latter two: `info` does not read a file.
                kill.problems.append(repr(error))
            print(f"  {kill}", flush=True)
            for problem in kill.problems:
                print(f"    {problem}")
            if kill.problems:
                print("    log: " + (kill.place / "log").read_text(encoding="utf-8")[-2000:], flush=True)
    finally:
        if not arguments.keep:
            shutil.rmtree(place, ignore_errors=True)
    losses = [kill.loss for kill in kills if kill.loss is not None]
    if losses:
        print(f"killed {len(kills)}: lost {statistics.median(losses):.2f} s in the median, {max(losses):.2f} s at most (bound: {BOUND:g} s)")
    return 1 if any(kill.problems for kill in kills) else 0


if __name__ == "__main__":
    sys.exit(main())

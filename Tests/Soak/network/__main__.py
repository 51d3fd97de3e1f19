"""Records two network cameras that fail, one over TCP and one over UDP, and judges all that is left.

Each camera numbers its frames, and remembers what its network delivered. Then each file must decode without a complaint; each frame
in it must be one that was sent, byte for byte, in order; no frame is missing that arrived completely and could be decoded; and
the ledger counts what was sent. `tc netem` is not needed: the faults are those of the camera's own program, from the seed.
"""
import argparse
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

from . import camera, faults
from .recordings import end, environment, frames_of, info, run

# Two seconds, as docs/guide/recording.md recommends.
GOP = 2 * camera.RATE


def unshown_after_loss(path, found):
    """The number of frames that FFmpeg does not show, if a frame is missing between each of them and its keyframe; else None.

    Without an error, libavcodec hides the frames up to the next keyframe if the missing ones include the one with which frame_num
    of H.264 begins again at 0. x264 lets it count to 15 only.
    """
    times = [run("ffprobe", "-v", "error", "-ignore_editlist", "1", "-select_streams", "v", "-show_entries", f"{kind}=pts_time", "-of",
                 "csv=p=0", str(path)).stdout.replace(",", "").split() for kind in ("packet", "frame")]
    hidden = [index for index, time_of_packet in enumerate(times[0]) if time_of_packet not in set(times[1])]
    for index in hidden:
        number = found[index][0]
        key = number and next((at for at in range(index, -1, -1) if found[at][0] == number - number % GOP), None)
        if key is None or index - key == number % GOP:
            return None
    return len(hidden)


class Take:
    """One camera and the recorder of it."""

    def __init__(self, arguments, transport, frames, sets, place):
        self.transport, self.recorder, self.place = transport, arguments.recorder, place / transport
        self.place.mkdir()
        self.faults = (faults.reboots if arguments.reboots else faults.schedule)(arguments.seed, transport, arguments.minutes)
        self.camera = camera.Camera(transport, self.faults, arguments.seed, frames, sets)
        self.problems = []
        self.unshown = 0  # frames that FFmpeg hides after lost ones
        self.camera.start()
        with open(self.place / "log", "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [self.recorder, "run", transport, "--camera", self.camera.url, "--camera-transport", transport, "--microphone", "none",
                 "--segment", "30s", "--output", "%H-%M-%S.mov"],
                cwd=self.place, env=environment(self.place), stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def problem(self, text):
        self.problems.append(f"{self.transport}: {text}")

    def end(self):
        if not end(self.process):
            self.problem("the recorder did not end within a minute")
        if self.process.returncode:
            self.problem(f"the recorder ended with {self.process.returncode}")
        self.camera.stop()
        if self.camera.problem:
            self.problem(f"the camera failed: {self.camera.problem}")

    def judge(self):
        written, ledger = [], {"captured": 0, "written": 0, "dropped": {}}
        # The names of the files after a reconnect do not show their order.
        files = sorted(self.place.glob("*.mov"), key=lambda path: info(self.recorder, path)["clock"]["start"])
        for path in files:
            written += self.judge_file(path, ledger)
        if not written:
            return self.problem("nothing was recorded")
        first, last = self.judge_frames(written)
        self.judge_ledger(first, last, ledger)
        lost = sum(not complete for _, complete in self.camera.sent.values())
        print(f"  {self.transport}: {len(self.camera.log)} faults, {self.camera.sessions} connections, {len(files)} files; "
              f"sent {len(self.camera.sent)} frames, of which {lost} were incomplete; captured {ledger['captured']}, written "
              f"{ledger['written']}, dropped {ledger['dropped']}; FFmpeg hides {self.unshown} after lost ones", flush=True)

    def judge_file(self, path, ledger):
        for words in (["ffprobe", "-v", "warning", "-show_streams", str(path)],
                      ["ffmpeg", "-v", "error", "-xerror", "-i", str(path), "-fps_mode", "passthrough", "-enc_time_base:v", "1:1000000", "-f", "null", "-"]):
            shown = run(*words)
            # FFmpeg has no decoder for timecode.
            complaints = [line for line in shown.stderr.splitlines() if "Unsupported codec with id 0" not in line]
            if shown.returncode or complaints:
                self.problem(f"{path.name}: {words[0]}: {' / '.join(complaints[:3]) or shown.returncode}")
        found = frames_of(path)
        verified = run(self.recorder, "verify", str(path))
        unshown = 0 if verified.returncode == 0 else unshown_after_loss(path, found)
        self.unshown += unshown or 0
        if verified.returncode and not unshown:
            self.problem(f"{path.name}: verify: {(verified.stdout + verified.stderr).strip()[-300:]}")
        hidden = run("ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=flags", "-of", "csv=p=0", str(path)).stdout.count("D")
        if hidden:
            self.problem(f"{path.name}: {hidden} frames are stored but not shown")
        video = info(self.recorder, path)["ledger"]["video"]
        if video["written"] != len(found) or video["captured"] != video["written"] + sum(video["dropped"].values()):
            self.problem(f"{path.name}: {len(found)} frames, but the ledger has {video}")
        ledger["captured"] += video["captured"]
        ledger["written"] += video["written"]
        for cause, count in video["dropped"].items():
            if count:
                ledger["dropped"][cause] = ledger["dropped"].get(cause, 0) + count
        return found

    def judge_frames(self, written):
        numbers, before, count = set(), -1, len(self.camera.frames)
        for number, units in written:
            if number is None:
                # The packet with the number was lost. The slices are those of one frame of the clip.
                number = before + 1
                while number <= before + count and units != self.camera.frames[number % count]:
                    number += 1
            elif units != camera.marked(self.camera.frames[number % count], number):
                self.problem(f"frame {number} has other bytes than were sent")
            if number not in self.camera.sent:
                self.problem(f"a frame was never sent: {number}")
            elif number <= before:
                self.problem(f"frame {number} is after frame {before}")
            numbers.add(number)
            before = number
        first, last = min(numbers), max(numbers)
        orphans = [number for number in sorted(numbers) if number - number % GOP not in numbers]
        if orphans:
            self.problem(f"{len(orphans)} frames are in the files without the keyframe that they need: {orphans[:10]}")
        # A frame arrived if it is complete, and can be decoded if the keyframe before it was sent and arrived in the same session.
        missing = []
        for number, (session, complete) in sorted(self.camera.sent.items()):
            key = self.camera.sent.get(number - number % GOP, (None, False))
            if first <= number <= last and complete and key == (session, True) and number not in numbers and number not in self.camera.excused:
                missing.append(number)
        if missing:
            self.problem(f"{len(missing)} frames arrived and are not in the files: {missing[:10]}")
        return first, last

    def judge_ledger(self, first, last, ledger):
        expected = last - first + 1
        # The frames after the last one in the files; and the time without a connection is known only to a frame or two.
        after = sum(number > last for number in self.camera.sent)
        slack = 2 * (self.camera.sessions - 1)
        if not expected - slack <= ledger["captured"] <= expected + slack + after:
            self.problem(f"the ledger has {ledger['captured']} frames, but {expected} were sent between the first and the last one "
                         f"(within {slack}, and {after} after it)")


def main():
    parser = argparse.ArgumentParser(prog="scripts/soak network", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--recorder", required=True, help=argparse.SUPPRESS)
    parser.add_argument("minutes", nargs="?", type=float, default=30, help="duration (default: 30)")
    parser.add_argument("seed", nargs="?", type=int, default=random.randrange(1_000_000), help="decides the faults (default: another each time)")
    parser.add_argument("--reboots", action="store_true", help="the cameras reboot once a minute, in place of all other faults")
    parser.add_argument("--keep", metavar="DIRECTORY", help="keep files and logs in this new directory")
    arguments = parser.parse_args()
    if arguments.minutes < 0.5:
        parser.error("half a minute is the minimum")
    print(f"seed {arguments.seed}: {arguments.minutes:g} minutes", flush=True)
    place = pathlib.Path(arguments.keep) if arguments.keep else pathlib.Path(tempfile.mkdtemp(prefix="recorder-network-"))
    place.mkdir(exist_ok=True)
    frames, sets = camera.clip(GOP)
    takes = [Take(arguments, transport, frames, sets, place) for transport in ("tcp", "udp")]
    try:
        deadline = time.monotonic() + arguments.minutes * 60
        while time.monotonic() < deadline and all(take.process.poll() is None for take in takes):
            time.sleep(0.2)
    finally:
        for take in takes:
            take.end()
    for take in takes:
        take.judge()
    problems = [problem for take in takes for problem in take.problems]
    for take in takes:
        if take.problems:
            print("  faults: " + ", ".join(f"{start:.0f} s {kind} ({seconds:.1f} s)" for start, kind, seconds in take.camera.log))
            print("  log: " + (take.place / "log").read_text(encoding="utf-8")[-3000:])
    for problem in problems:
        print(f"  {problem}")
    if not arguments.keep:
        shutil.rmtree(place, ignore_errors=True)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

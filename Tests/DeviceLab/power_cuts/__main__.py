"""Cuts the power of a guest that records, again and again on the same disks.

    python3 -m power_cuts COUNT --file-system ext4|vfat --seed N --boot PROGRAM --recorder PROGRAM --work DIRECTORY

Prints a line for each cut and the figures at the end; exit status 1 says that something was lost or is not whole.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time

from power_cuts import images, plan

LAB = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Guest:
    """One boot, until its power goes."""

    def __init__(self, arguments, cut, is_last):
        self.group_file = f"{arguments.work}/group"
        if os.path.exists(self.group_file):
            os.remove(self.group_file)
        command = [
            arguments.boot, "--virtual-time", "--timeout", "300", "--memory", "1G", "--process-group", self.group_file,
            "--vivid", "none", "--aloop", "none", "--disk", f"{arguments.images}/system.img",
            "--disk", f"{arguments.images}/disk.img", "--share", arguments.work, "--kernel-log", f"{arguments.work}/kernel.log",
            "--env", f"PYTHONPATH={LAB}", "--env", "PYTHONDONTWRITEBYTECODE=1", "--",
            "/usr/bin/python3", "-m", "power_cuts.guest", str(cut.number), cut.kind, str(cut.moment),
            "--notes", arguments.work, "--file-system", arguments.file_system, "--recorder", arguments.recorder,
        ]
        self.process = subprocess.Popen(
            command + (["--last"] if is_last else []), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def events(self):
        for line in self.process.stdout:
            try:
                yield json.loads(line)
            except json.JSONDecodeError:
                yield {"event": "words", "words": line.strip()}

    def cut_power(self):
        """All its processes at once: the kernel, the one that writes to the disks, and those of its programs."""
        with open(self.group_file, encoding="ascii") as file:
            group = int(file.read())
        os.killpg(group, signal.SIGKILL)

    def end(self):
        """Its exit status and what it said on standard error."""
        words = self.process.stderr.read()
        return self.process.wait(), words


class Run:
    def __init__(self, arguments):
        self.arguments = arguments
        self.problems = []
        self.losses = []
        self.files = 0

    def _note(self, cut, words):
        """A problem that stays is reported once."""
        if words in self.problems:
            return
        self.problems.append(words)
        print(f"  FAILED before cut {cut.number}: {words}", flush=True)

    def guest(self, cut, is_last=False):
        """Boots, judges what the last cut left, and cuts again."""
        guest = Guest(self.arguments, cut, is_last)
        was_cut, losses = False, []
        for event in guest.events():
            if event["event"] == "judged":
                self.files = event["files"]
                losses = event["losses"]
                self.losses += losses
                for problem in event["problems"]:
                    self._note(cut, problem)
            elif event["event"] == "now":
                time.sleep(cut.delay)
                guest.cut_power()
                was_cut = True
        status, words = guest.end()
        if is_last and status == 0:
            was_cut = True
        if not was_cut:
            self._note(cut, f"the guest ended with {status}: {words[-1500:]}")
            return False
        if not is_last:
            lost = ", ".join(f"{loss['seconds']:.2f} s ({loss['kind']})" for loss in losses) or "nothing judged"
            print(f"  cut {cut.number:3} {cut.kind:9} {cut.moment:.3f} s + {1000 * cut.delay:.1f} ms; before it: {lost}", flush=True)
        return True

    def run(self):
        arguments = self.arguments
        images.make(f"{arguments.images}/system.img", "ext4")
        images.make(f"{arguments.images}/disk.img", arguments.file_system)
        cuts = plan.plan(arguments.seed, arguments.count)
        last = plan.Cut(len(cuts), plan.STOPPED, 0, 0)
        for cut in [*cuts, last]:
            if not self.guest(cut, is_last=cut is last):
                break
            for disk, kind in (("system", "ext4"), ("disk", arguments.file_system)):
                for words in images.complaints(f"{arguments.images}/{disk}.img", kind):
                    self._note(cut, f"the check of {disk}.img says: {words}")
        losses = sorted(loss["seconds"] for loss in self.losses)
        print(
            f"{arguments.file_system}, seed {arguments.seed}: {len(cuts)} cuts, {self.files} files, "
            f"{len(losses)} recordings judged, lost "
            + (f"{losses[len(losses) // 2]:.2f} s in the median, {losses[-1]:.2f} s at most" if losses else "nothing")
            + f"; {len(self.problems)} problems", flush=True)
        return 1 if self.problems or len(losses) == 0 else 0


def main():
    parser = argparse.ArgumentParser(prog="power_cuts")
    parser.add_argument("count", type=int)
    parser.add_argument("--file-system", choices=["ext4", "vfat"], required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--boot", required=True)
    parser.add_argument("--recorder", required=True)
    parser.add_argument("--work", required=True)
    arguments = parser.parse_args()
    shutil.rmtree(arguments.work, ignore_errors=True)
    os.makedirs(arguments.work)
    with images.directory() as arguments.images:
        status = Run(arguments).run()
        if status != 0:
            for name in os.listdir(arguments.images):
                shutil.copy(f"{arguments.images}/{name}", arguments.work)
        return status


if __name__ == "__main__":
    sys.exit(main())

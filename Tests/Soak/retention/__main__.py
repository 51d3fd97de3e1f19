"""Keeps and deletes 10,000 small recordings at the same time, and looks for one that was lost.

In each round, processes keep and unkeep random files while retention deletes others and is killed. The disk is full, or
the catalogue is lost or damaged, or neither. After each round every file whose `recorder keep` succeeded must be there
byte for byte, and retention must reach its goal with the others. Prints its seeds; exit status 1 says that a file was
lost, or that a goal was missed.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

FAULTS = ["none", "full disk", "lost catalogue", "damaged catalogue"]
PATTERN = "%Y/%m-%d-%H%M%S.mov"


class Soak:
    def __init__(self, recorder, count, seed):
        self.recorder, self.count, self.random = recorder, count, random.Random(seed)
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="recorder-retention-", dir="/tmp"))
        self.work = self.place / "work"
        self.work.mkdir()
        self.isMounted = False
        self.environment = dict(
            os.environ, HOME=str(self.place), XDG_RUNTIME_DIR=str(self.place), XDG_STATE_HOME=str(self.place / "state"),
            XDG_CONFIG_HOME=str(self.place / "config"), TZ="UTC")
        # Without its catalogue, a recorder is known by its configuration file only.
        configuration = self.place / "config/recorder/front.yaml"
        configuration.parent.mkdir(parents=True)
        configuration.write_text("microphone: none\n")
        self.database = self.place / "state/recorder/front.finished.sqlite"
        # Files that are certainly kept, and those of which that is unknown, because a command failed.
        self.kept, self.unsure, self.problems = set(), set(), []

    def run(self, *words):
        return subprocess.run([self.recorder, *words], cwd=self.work, env=self.environment, capture_output=True, text=True)

    def close(self):
        if self.isMounted:
            subprocess.run(["umount", self.work], check=False)
        shutil.rmtree(self.place, ignore_errors=True)

    # The recordings

    def fill(self):
        """Records one movie, and copies it under the names that the recorder gives to files of the same second."""
        made = self.run(
            "run", "front", "--camera", "test", "--microphone", "none", "--size", "160x120", "--duration", "300ms",
            "--output", PATTERN)
        if made.returncode:
            sys.exit(f"cannot record: {made.stderr}")
        first = next(self.work.glob("*/*.mov"))
        content = first.read_bytes()
        self.size, self.digest = len(content), hashlib.sha256(content).digest()
        if os.geteuid() == 0:
            self.mount(first)
            first = self.work / first.relative_to(self.work)
        for number in range(2, self.count + 1):
            shutil.copy2(first, first.with_name(f"{first.stem}-{number}.mov"))
        self.folder = first.parent
        self.forget_catalogue(damaged=True)
        self.retain(10 ** 15)

    def mount(self, first):
        """Mounts a small file system with a little more room than the files need."""
        saved = self.place / "first.mov"
        shutil.copy2(first, saved)
        name = first.relative_to(self.work)
        page = os.sysconf("SC_PAGESIZE")  # tmpfs stores full pages
        room = (-(-self.size // page) + 2) * page * self.count + (64 << 20)
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={room},nr_inodes={self.count * 4}", "tmpfs", self.work],
            capture_output=True, text=True)
        self.isMounted = mounted.returncode == 0
        if not self.isMounted:
            print(f"no disk is filled: {mounted.stderr.strip()}")
            return
        (self.work / name).parent.mkdir()
        shutil.copy2(saved, self.work / name)

    def present(self):
        return {path.name for path in self.folder.glob("*.mov")}

    def forget_catalogue(self, damaged):
        for ending in ["", "-wal", "-shm"]:
            path = pathlib.Path(f"{self.database}{ending}")
            if path.exists():
                path.unlink()
        if damaged:
            self.database.parent.mkdir(parents=True, exist_ok=True)
            self.database.write_bytes(b" " * 9000)

    def damage_catalogue(self):
        if not self.database.exists():
            return self.forget_catalogue(damaged=True)
        with open(self.database, "r+b") as file:
            file.seek(self.random.choice([0, 100, 4096]))
            file.write(bytes(self.random.randrange(256) for _ in range(20_000)))

    # The commands

    def change(self, command, names):
        """Keeps or unkeeps files. Returns those for which the command succeeded."""
        answer = self.run(command, "--json", *[str(self.folder / name) for name in names])
        try:
            done = {os.path.basename(one["file"]) for one in json.loads(answer.stdout)["recordings"]}
        except (ValueError, KeyError):
            return set()
        return done & set(names)

    def retain(self, size):
        """Runs retention until it succeeds: the first run after damage only creates the catalogue again."""
        for _ in range(5):
            done = self.run("retention", "front", "--output", PATTERN, "--keep-size", f"{size}B")
            if done.returncode == 0:
                return
        self.problems.append(f"retention fails: {done.stderr.strip()[-500:]}")

    def killed_retention(self, size, delay):
        process = subprocess.Popen(
            [self.recorder, "retention", "front", "--output", PATTERN, "--keep-size", f"{size}B"], cwd=self.work,
            env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(delay)
        process.kill()
        process.wait()

    # The rounds

    def round(self, number, fault):
        names = sorted(self.present())
        self.random.shuffle(names)
        few = max(1, len(names) // 20)
        groups = [names[index * few:(index + 1) * few] for index in range(4)]
        commands = [self.random.choice(["keep", "keep", "unkeep"]) for _ in groups]
        goal = self.random.randrange(len(names) // 2, max(len(names) // 2 + 1, len(names) * 9 // 10)) * self.size
        ballast = None
        if fault == "full disk" and self.isMounted:
            ballast = self.work / "ballast"
            with open(ballast, "wb", buffering=0) as file:
                try:
                    while file.write(bytes(1 << 20)):
                        pass
                except OSError:
                    pass
        if fault == "lost catalogue":
            self.forget_catalogue(damaged=False)
        if fault == "damaged catalogue":
            self.damage_catalogue()
        # While the commands run, it is unknown whether a file is kept.
        for group in groups:
            self.unsure.update(group)
        still = {name for group, command in zip(groups, commands) if command == "keep" for name in group} & self.kept
        delays = [self.random.uniform(0.01, 1.5) for _ in range(3)]
        with concurrent.futures.ThreadPoolExecutor(max_workers=6) as pool:
            futures = [pool.submit(self.change, command, group) for group, command in zip(groups, commands)]
            for delay in delays:
                self.killed_retention(goal, delay)
            done = [future.result() for future in futures]
        for group, command, changed in zip(groups, commands, done):
            self.unsure.difference_update(changed)
            if command == "keep":
                self.kept.update(changed)
            else:
                self.kept.difference_update(group)
        # What was kept before stays kept, whatever `keep` answers now.
        self.kept.update(still)
        self.look(f"round {number} ({fault})")
        if ballast:
            ballast.unlink()
        if fault == "lost catalogue":
            # Retention deletes nothing that no catalogue lists. A damaged one is created again from the disk.
            self.retain(goal)
            self.look(f"round {number} without a catalogue")
            self.forget_catalogue(damaged=True)
        self.retain(goal)
        self.look(f"round {number} at its end")
        others = self.present() - self.kept - self.unsure
        # The newest recording always stays.
        if (len(others) - 1) * self.size > goal:
            self.problems.append(f"round {number}: {len(others)} files are left, {goal // self.size} were to be")
        self.unsure &= self.present()
        print(f"  round {number}: {fault}; {len(self.present())} files, {len(self.kept)} kept", flush=True)

    def look(self, when):
        for name in sorted(self.kept):
            path = self.folder / name
            if not path.exists():
                self.problems.append(f"{when}: {name} was kept, and is gone")
                self.kept.discard(name)
            elif hashlib.sha256(path.read_bytes()).digest() != self.digest:
                self.problems.append(f"{when}: {name} was kept, and has changed")


def soak(arguments, seed):
    print(f"seed {seed}: {arguments.files} files", flush=True)
    one = Soak(arguments.recorder, arguments.files, seed)
    try:
        one.fill()
        for number in range(1, arguments.rounds + 1):
            one.round(number, FAULTS[(number - 1) % len(FAULTS)])
    finally:
        one.close()
    for problem in one.problems:
        print(f"  {problem}")
    return not one.problems


def main():
    parser = argparse.ArgumentParser(prog="scripts/soak retention", description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--recorder", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--files", type=int, default=10_000, help="number of recordings (default: 10000)")
    parser.add_argument("--rounds", type=int, default=8, help="rounds for each seed (default: 8)")
    parser.add_argument("--seed", type=int, help="only this seed (default: three others each time)")
    arguments = parser.parse_args()
    if arguments.files < 100 or arguments.rounds < 1:
        parser.error("at least 100 files and one round are needed")
    first = random.randrange(1_000_000)
    seeds = [first, first + 1, first + 2] if arguments.seed is None else [arguments.seed]
    return 0 if all([soak(arguments, seed) for seed in seeds]) else 1


if __name__ == "__main__":
    sys.exit(main())

"""Judges what a cut left, once the next start has had its time: every file that was begun is whole, what was finished
is as it was, and no more is lost than a kill may cost."""

import json
import os

from power_cuts import movies

# docs/design/design.md, rule 3
BOUND = 1.5
# From a file to the next: time codes tell a moment to a frame.
SEAM = 2.5 / movies.FRAME_RATE
# What has been said to be whole ends where it was stopped.
STOPPED_WITHIN = 0.5


def files(disk):
    """Everything on the disk that is no directory, and not what a file system keeps for itself."""
    for place, directories, names in os.walk(disk):
        directories[:] = [name for name in directories if name != "lost+found"]
        yield from (f"{place}/{name}" for name in sorted(names))


class Judgement:
    def __init__(self, disk):
        self.disk = disk
        self.problems = []
        self.losses = []
        # path → digest, of what is whole
        self.digests = {}

    def check_untouched(self, finished):
        """Before anything has started: what was finished before the cut is there, byte by byte."""
        for path, digest in finished.items():
            if not os.path.exists(path):
                self.problems.append(f"{path} was finished, but is missing")
            elif movies.digest(path) != digest:
                self.problems.append(f"{path} was finished, but has changed")

    def check_files(self, sessions, growing, finished):
        """After the start: nothing unfinished but what grows now, and each new file is whole and has its place in time.

        - sessions: those that no judgement has seen.
        - growing: what the names of the present one begin with.
        - finished: path → digest, of what has been judged before.
        """
        found = {}
        for path in files(self.disk):
            name = os.path.relpath(path, self.disk)
            if name.startswith(f"{growing}-"):
                continue
            if os.path.getsize(path) == 0 and ".recording." in name:
                continue  # begun in the moment of the cut: nothing was in it yet
            if not name.endswith(".mov") or ".recording." in name:
                self.problems.append(f"{name} ({os.path.getsize(path)} bytes) is left over")
                continue
            self.digests[path] = movies.digest(path)
            if path in finished:
                if finished[path] != self.digests[path]:
                    self.problems.append(f"{name} was intact, but has changed after the start")
                continue
            movie = movies.examine(path)
            if movie.complaints:
                self.problems.append(f"{name}: {movie.complaints}")
            if movie.begin is None:
                self.problems.append(f"{name} has no time code or no duration")
            else:
                found.setdefault(name.split("-")[0], []).append(movie)
        for session in sessions:
            self._judge(session, found.get(session["prefix"], []))

    def _judge(self, session, found):
        """One session's files follow one another, up to the moment of the cut."""
        # A file of 24 hours has no place here: times of the day are in order from the session's beginning.
        begun = session["began"]
        if begun is None:
            return  # the power went before a sample was in a file
        found = sorted(found, key=lambda movie: movies.passed(begun, movie.begin))
        # Where the last file began a moment before the cut, the end of the one before it may be what is lost.
        seams = [movies.passed(before.end, after.begin) for before, after in zip(found, found[1:])]
        for seam in seams[:-1] if session["kind"] != "stopped" else seams:
            if abs(seam) > SEAM:
                self.problems.append(f"gap of {seam:.3f} s between two files of session {session['prefix']}")
        lost_between = seams[-1] if seams and abs(seams[-1]) > SEAM else 0
        if lost_between < 0:
            self.problems.append(f"{-lost_between:.3f} s overlap in two files of session {session['prefix']}")
        reached = found[-1].end if found else begun
        loss = movies.passed(reached, session["ended"]) + max(0, lost_between)
        self.losses.append({"session": session["prefix"], "kind": session["kind"], "seconds": round(loss, 3)})
        bound = STOPPED_WITHIN if session["kind"] == "stopped" else BOUND
        if loss > bound:
            self.problems.append(f"{loss:.3f} s of session {session['prefix']} ({session['kind']}) were lost")

    def check_catalogue(self, answer):
        """The list of finished recordings is read, and what it names is there. It need not name all: a cut may come between
        a file's name and its line, and then no program ever deletes the file."""
        if answer.returncode != 0:
            self.problems.append(f"retention fails: {answer.stderr.strip()}")
            return
        for removal in json.loads(answer.stdout)["removals"]:
            if not os.path.exists(removal["path"]):
                self.problems.append(f"the list of finished recordings contains {removal['path']}, which does not exist")

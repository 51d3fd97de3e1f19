"""Makes movies of many kinds, copies all or a part of each, and compares the frames that FFmpeg shows with the source's."""
import argparse
import collections
import concurrent.futures
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

from . import atoms
from .kinds import KINDS

# Times are compared as milliseconds, which both are rounded to.
SLACK = 2
# A mean difference of gray levels that no other frame comes below, and every encoder stays below.
LIKENESS = 10


def frames(path):
    """(milliseconds, hash) of every frame that FFmpeg shows: of QuickTime and MPEG-4 on the movie's time line, of others from the first
    frame or audio on."""
    is_absolute = path.endswith((".mov", ".mp4"))
    # With the audio: FFmpeg counts from the beginning of the streams that are used.
    done = subprocess.run(
        ["ffmpeg", "-v", "quiet", *(["-copyts"] if is_absolute else []), "-i", path, "-map", "0:v:0", "-map", "0:a?", "-fps_mode", "passthrough", "-enc_time_base:v",
         "1:1000", "-c:a", "copy", "-f", "framemd5", "-"], capture_output=True, text=True, timeout=120)
    rows = [line.split(",") for line in done.stdout.splitlines() if not line.startswith("#")]
    return [(int(row[2]), row[5].strip()) for row in rows if row[0] == "0"]


def thumbnails(path):
    data = subprocess.run(
        ["ffmpeg", "-v", "quiet", "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-vf", "scale=40:30:flags=area",
         "-pix_fmt", "gray", "-f", "rawvideo", "-"], capture_output=True, timeout=120).stdout
    return [data[at:at + 1200] for at in range(0, len(data), 1200)]


def difference(one, other):
    return sum(abs(a - b) for a, b in zip(one, other)) / 1200


def expected(shown, start, end):
    """What a cut is to show, from its own 0: the frame on screen at the start, and all that begin inside."""
    before = [frame for frame in shown if frame[0] <= start]
    inside = [(moment - start, name) for moment, name in shown if start < moment < end]
    if before and not (inside and inside[0][0] < 1):
        inside.insert(0, (0, before[-1][1]))
    return inside


def by_edit_list(path):
    """(milliseconds, hash) of every frame that the edit list of a QuickTime or MPEG-4 file shows, by QTFF, "Edit List Atoms"."""
    done = subprocess.run(
        ["ffmpeg", "-v", "quiet", "-ignore_editlist", "1", "-copyts", "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough",
         "-enc_time_base:v", "1:100000", "-f", "framemd5", "-"], capture_output=True, text=True, timeout=120)
    rows = [line.split(",") for line in done.stdout.splitlines() if not line.startswith("#")]
    media = sorted((int(row[2]) / 100_000, row[5].strip()) for row in rows)
    shown, moment = [], 0
    for length, start in atoms.edits(open(path, "rb").read(), b"vide"):
        if start is not None:
            inside = [(time, name) for time, name in media if start - 0.0005 < time < start + length - 0.0005]
            before = [frame for frame in media if frame[0] <= start - 0.0005]
            if before and not (inside and inside[0][0] < start + 0.0005):
                inside.insert(0, (start, before[-1][1]))
            shown += [(round((moment + time - start) * 1000), name) for time, name in inside]
        moment += length
    return shown


def fault(due, found, compares_hashes=True):
    """What is wrong with the frames of a copy; None for nothing."""
    if len(due) != len(found):
        return f"{len(due)} frames expected, {len(found)} shown"
    for number, (one, other) in enumerate(zip(due, found)):
        if abs(one[0] - other[0]) > SLACK:
            return f"frame {number} is shown at {other[0]} ms instead of {one[0]}"
        if compares_hashes and one[1] != other[1]:
            return f"frame {number} at {other[0]} ms differs"
    return None


class Judge:
    def __init__(self, recorder, cuts):
        self.recorder, self.cuts = recorder, cuts
        self.misread = 0

    def reencode(self, movie, copy, *options):
        done = subprocess.run(
            [self.recorder, "reencode", movie.path, "-o", copy, "--overwrite", "--quiet", *options], capture_output=True,
            text=True, timeout=300)
        return done.returncode, done.stderr.strip().splitlines()

    def judge(self, movie, chance, folder):
        """The faults, a line each, and how many copies were looked at."""
        faults, copies = [], 0
        shown = frames(movie.reference)
        # Of several edits of frames that are stored out of order FFmpeg 5.1 shows some twice, others at wrong times or not at all.
        view = frames
        if movie.has_edits and fault(said := by_edit_list(movie.path), shown):
            view, shown = by_edit_list, said
            self.misread += 1
        if len(shown) < 3:
            return [f"FFmpeg shows {len(shown)} frames of the source"], 0
        copy = os.path.join(folder, "copy.mov")

        status, words = self.reencode(movie, copy, "--codec", "passthrough", "--audio-codec", "passthrough")
        copies += 1
        # AVI stores when frames are decoded. Frames in another order cannot be copied, and FFmpeg shows all of them later than they were
        # recorded, beside audio that is not.
        lacks_times = status == 65 and movie.path.endswith(".avi") and words[-1].endswith("; re-encode it")
        if lacks_times:
            shown = [(moment - shown[0][0], name) for moment, name in shown]
        refused = status == 64 or lacks_times
        if status and not refused:
            faults.append(f"passthrough: exit {status}: {words[-1:]}")
        if not status and movie.reference == movie.path and (wrong := self.fault(shown, copy, view)):
            faults.append(f"passthrough: {wrong} {words[-1:]}")
        status, words = self.reencode(movie, copy, "--preset", "ultrafast", "--codec", "h264")
        copies += 1
        if status:
            faults.append(f"re-encoded: exit {status}: {words[-1:]}")
        elif wrong := fault(movie.due or shown, frames(copy), compares_hashes=False):
            faults.append(f"re-encoded: {wrong} {words[-1:]}")
        elif not movie.due and view is frames:
            pairs = zip(thumbnails(movie.reference), thumbnails(copy))
            if (far := [n for n, (one, other) in enumerate(pairs) if difference(one, other) > LIKENESS]):
                faults.append(f"re-encoded: frames {far[:5]} differ")
        # FFmpeg cannot show what is behind nothing: copies are compared with what it shows of the source instead, and not cut.
        if refused or movie.reference != movie.path or movie.due:
            return faults, copies
        for _ in range(self.cuts):
            start, end = self.cut(shown, chance)
            status, words = self.reencode(
                movie, copy, "--codec", "passthrough", "--audio-codec", "passthrough", "--from", f"{start / 1000}s", "--to",
                f"{end / 1000}s")
            copies += 1
            if status:
                faults.append(f"cut {start} to {end} ms: exit {status}: {words[-1:]}")
            elif wrong := self.fault(expected(shown, start, end), copy, view):
                faults.append(f"cut {start} to {end} ms: {wrong} {words[-1:]}")
        return faults, copies

    def fault(self, due, copy, view):
        """What is wrong with the frames of a copy. FFmpeg may show the source as its edit list says, and the copy not: of a cut of B-frames
        at varying distances it may lose one."""
        wrong = fault(due, view(copy))
        if wrong and view is frames and not fault(due, by_edit_list(copy)):
            self.misread += 1
            return None
        return wrong

    def cut(self, shown, chance):
        """Half of the cuts begin with a frame, half inside one; the end of a frame is known by the next one only."""
        first = chance.randrange(len(shown) - 2)
        start = shown[first][0]
        if chance.random() < 0.5:
            start += chance.randrange(max(1, shown[first + 1][0] - start))
        last = chance.randrange(first + 1, len(shown))
        return start, max(start + 5, shown[last][0] - chance.choice([1, 5]))


def main():
    parser = argparse.ArgumentParser(prog="scripts/soak movies", description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="number of movies; default %(default)d")
    parser.add_argument("--cuts", type=int, default=20, help="cuts of each movie; default %(default)d")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000, help="seed of all random choices; it is printed")
    parser.add_argument("--kind", choices=sorted(KINDS), help="only movies of this kind")
    parser.add_argument("--first", type=int, default=0, help="number of the first movie")
    parser.add_argument("--minutes", type=float, default=0, help="start no movie after this many minutes; default: no limit")
    parser.add_argument("--jobs", type=int, default=2, help="movies in parallel; default %(default)d")
    parser.add_argument("--keep", metavar="DIRECTORY", help="keep movies with faults in this directory")
    parser.add_argument("--recorder", required=True, help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    print(f"from seed {wanted.seed}", flush=True)
    names = [wanted.kind] if wanted.kind else list(KINDS)
    judge = Judge(wanted.recorder, wanted.cuts)
    began, bad, copies, made = time.monotonic(), [], collections.Counter(), collections.Counter()

    def one(number):
        if wanted.minutes and time.monotonic() - began > wanted.minutes * 60:
            return None
        name = names[number % len(names)]
        chance = random.Random(f"{wanted.seed} {number}")
        folder = tempfile.mkdtemp(prefix="movies-")
        try:
            movie = KINDS[name](chance, folder)
            faults, count = judge.judge(movie, chance, folder)
            if faults and wanted.keep:
                os.makedirs(wanted.keep, exist_ok=True)
                shutil.copy(movie.path, os.path.join(wanted.keep, f"{number}-{os.path.basename(movie.path)}"))
            return number, name, movie.words, faults, count
        except Exception as error:
            return number, name, "", [f"not made: {error}"], 0
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    with concurrent.futures.ThreadPoolExecutor(wanted.jobs) as pool:
        for result in pool.map(one, range(wanted.first, wanted.first + wanted.count)):
            if result is None:
                continue
            number, name, words, faults, count = result
            made[name] += 1
            copies[name] += count
            if faults:
                bad.append(number)
                print(f"{number} {name}: {len(faults)} of {count}: {words}", flush=True)
                for line in faults[:4]:
                    print(f"  {line}", flush=True)
    for name in sorted(made):
        print(f"{name}: {made[name]} movies, {copies[name]} copies")
    print(f"{judge.misread} movies or copies were judged by their edit lists, because FFmpeg shows other frames")
    print(f"{sum(made.values())} movies, {sum(copies.values())} copies, {len(bad)} movies with faults")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()

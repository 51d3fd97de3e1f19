"""Tries every error in each call on a recording's files, in each phase of a recording.

Each case records with Tests/Support/FaultyDisk/faultydisk.c loaded before the C library. The recording must end by itself or on TERM,
within a time limit, and leave few files. Each file must play, if necessary after a repair, and no frame that was safe before the
fault may be missing. Prints a table, and fails if a case does not meet this.
"""

import argparse
import concurrent.futures
import errno
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROJECT = pathlib.Path(__file__).resolve().parents[3]
CALLS = ["write", "write+ftruncate", "fdatasync", "fsync", "open", "rename", "ftruncate", "close"]
ERRORS = ["EIO", "ESTALE", "ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM", "EFBIG", "ENOMEM", "EAGAIN", "EBUSY", "EMFILE",
          "ENFILE", "ENODEV", "ENXIO", "ENOENT", "EINVAL", "ETIMEDOUT", "EINTR", "short", "stall"]
PHASES = ["begin", "middle", "split", "finish"]
# Maximum seconds until a recording ends, with stalls of two seconds and a busy machine.
BOUND = 60
# Seconds from the start of the fault until the recording is stopped.
WAIT = 3


def wait_for(condition, seconds=BOUND):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def frames_of(path):
    """Returns the number of frames that FFmpeg decodes, and its errors."""
    shown = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "v", "-count_frames", "-show_entries", "stream=nb_read_frames",
         "-of", "csv=p=0", path], capture_output=True, text=True)
    frames = shown.stdout.strip().strip(",")
    return (int(frames) if frames.isdigit() else 0), shown.stderr.strip()


def run(case, recorder, library):
    call, error, kind, phase = case
    place = tempfile.mkdtemp(prefix="rde-", dir="/tmp")
    work = os.path.join(place, "work")
    os.mkdir(work)
    flag, log = os.path.join(place, "fail"), os.path.join(place, "faults")
    environment = dict(
        os.environ, LD_PRELOAD=library, HOME=place, XDG_RUNTIME_DIR=place, XDG_STATE_HOME=os.path.join(place, "state"),
        FAULTYDISK_CALL=call.replace("+", ","), FAULTYDISK_PATH=work, FAULTYDISK_WHILE=flag, FAULTYDISK_LOG=log,
        FAULTYDISK_ERROR=error if error in ("short", "stall") else str(getattr(errno, error)))
    if kind == "once":
        environment["FAULTYDISK_COUNT"] = "1"
    elif error == "EINTR":
        # A call that is interrupted every time never ends in any program.
        environment["FAULTYDISK_COUNT"] = "50"
    elif error == "stall":
        # Each stall lasts two seconds, and finalizing a file needs about thirty calls.
        environment["FAULTYDISK_COUNT"] = "10"
    plain = {name: value for name, value in environment.items() if name != "LD_PRELOAD"}
    if phase == "begin":
        open(flag, "w").close()
    words = [recorder, "start", "k", "--foreground", "--camera", "test", "--microphone", "test", "--size", "160x120",
             "--frame-rate", "25", "--key-frame-interval", "500ms", "-o", "a.mov"]
    with open(os.path.join(place, "out"), "w") as out, open(os.path.join(place, "err"), "w") as err:
        process = subprocess.Popen(words, cwd=work, env=environment, stdout=out, stderr=err)
    problems = []

    def faults():
        return len(open(log).readlines()) if os.path.exists(log) else 0

    def is_recording():
        return process.poll() is not None or open(os.path.join(place, "out")).read().startswith("recording")

    wait_for(is_recording)
    began = time.monotonic()
    if phase != "begin":
        time.sleep(1)
        open(flag, "w").close()
        if phase == "split":
            split = subprocess.Popen(
                [recorder, "split", "k"], env=plain, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if phase in ("middle", "split"):
        wait_for(lambda: process.poll() is not None or time.monotonic() - began > WAIT)
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    asked = time.monotonic()
    if not wait_for(lambda: process.poll() is not None):
        problems.append("does not end")
        process.kill()
        process.wait()
    took = time.monotonic() - asked
    if phase == "split":
        split.wait()
    if os.path.exists(flag):
        os.remove(flag)
    names = sorted(os.listdir(work))
    # A size limit that one file reached also limits the following files.
    if len(names) > 5 and error != "EFBIG":
        problems.append(f"{len(names)} files")
    frames = 0
    for name in names:
        path = os.path.join(work, name)
        if ".recording." in name:
            repaired = subprocess.run(
                [recorder, "repair", "--json", name], cwd=work, env=plain, capture_output=True, text=True)
            if repaired.returncode:
                problems.append(f"{name} cannot be repaired")
                continue
            path = json.loads(repaired.stdout)["files"][0]["file"]
            path = os.path.join(work, path)
        count, complaint = frames_of(path)
        frames += count
        if complaint:
            problems.append(f"{name}: {complaint.splitlines()[0]}")
    if process.returncode not in (0, 73, 74):
        problems.append(f"exit code {process.returncode}")
    # With the defaults, at most 1.5 s are not safe, and the wait before the fault begins after the first sample.
    if phase != "begin" and frames == 0:
        problems.append("no frame was kept")
    message = [line for line in open(os.path.join(place, "err")).read().splitlines() if "cannot" in line]
    if process.returncode and not message:
        problems.append("fails without a message")
    left = sum(".recording." in name for name in names)
    result = {"call": call, "error": error, "kind": kind, "phase": phase, "faults": faults(), "exit": process.returncode,
              "files": len(names), "repaired": left, "seconds": round(frames / 25, 2), "end": round(took, 1),
              "problems": problems}
    shutil.rmtree(place, ignore_errors=True)
    return result


def main():
    parser = argparse.ArgumentParser(prog="scripts/soak disk-errors", description=__doc__)
    parser.add_argument("--recorder", required=True)
    parser.add_argument("--calls", default=",".join(CALLS))
    parser.add_argument("--errors", default=",".join(ERRORS))
    parser.add_argument("--phases", default=",".join(PHASES))
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--json", help="write all results to this file")
    options = parser.parse_args()
    recorder = os.path.abspath(options.recorder)
    cases = [(call, error, kind, phase) for call in options.calls.split(",") for error in options.errors.split(",")
             for kind in ("once", "always") for phase in options.phases.split(",")
             if error != "short" or call.startswith("write")]
    with tempfile.TemporaryDirectory(prefix="rdl-", dir="/tmp") as place:
        library = os.path.join(place, "faultydisk.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, PROJECT / "Tests/Support/FaultyDisk/faultydisk.c", "-ldl"],
                       check=True)
        results = []
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            print(f"{'call':16}{'error':11}{'kind':8}{'phase':8}{'faults':>7}{'exit':>5}{'files':>6}{'open':>5}{'kept':>7}"
                  f"{'end':>7}", flush=True)
            for row in pool.map(lambda case: run(case, recorder, library), cases):
                results.append(row)
                print(f"{row['call']:16}{row['error']:11}{row['kind']:8}{row['phase']:8}{row['faults']:7}{row['exit']:5}"
                      f"{row['files']:6}{row['repaired']:5}{row['seconds']:6.2f}s{row['end']:6.1f}s"
                      f"  {'; '.join(row['problems'])}", flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1))
    failed = [row for row in results if row["problems"]]
    print(f"{len(results)} cases, {len(failed)} failed")
    sys.exit(1 if failed else 0)


main()

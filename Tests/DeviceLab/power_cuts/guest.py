"""What runs in the guest: judges what the cut before left, records, and says when the power is to go.

    guest.py NUMBER KIND MOMENT --notes DIRECTORY --file-system TYPE --recorder PROGRAM [--last]

/dev/ubda is the system's disk, with the recorder's state; /dev/ubdb is the one that it records to.
"""

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import time

from power_cuts import movies, plan
from power_cuts.judge import Judgement, files
from power_cuts.notes import Clock, Notes, last_time, seconds_of_the_day

SYSTEM, DISK = "/run/system", "/run/disk"
NAME = "lab"
# Seconds in each file, so that ordinary splits come too.
SEGMENT = 4
PATIENCE = 60


def say(event, **facts):
    print(json.dumps({"event": event, **facts}), flush=True)


def eventually(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"waited {PATIENCE} s for {what}")
        time.sleep(0.05)


class Recorder:
    def __init__(self, program, prefix, log):
        self.program, self.prefix = program, prefix
        os.makedirs(f"{SYSTEM}/state", exist_ok=True)
        os.makedirs("/run/runtime", mode=0o700, exist_ok=True)
        os.environ |= {"XDG_STATE_HOME": f"{SYSTEM}/state", "XDG_RUNTIME_DIR": "/run/runtime", "TZ": "UTC"}
        self.log = open(log, "ab")
        self.process = None
        # Kept: the recorder is not to see it closed.
        self.connection = None

    def start(self):
        # Its directory is the pattern's, and is made by the recorder.
        self.process = subprocess.Popen(
            [self.program, "run", NAME, "--camera", "test", "--microphone", "test", "--size", "320x180"]
            + ["--frame-rate", "30", "--preset", "ultrafast", "--reserve", "0", "--segment", f"{SEGMENT}s"]
            + ["--output", self.pattern],
            stdout=self.log, stderr=self.log,
        )

    @property
    def pattern(self):
        return f"{DISK}/{self.prefix}-%j/%H-%M-%S.mov"

    def ask(self, *words):
        return subprocess.run([self.program, *words], capture_output=True, text=True)

    @property
    def status(self):
        answer = self.ask("status", NAME, "--json")
        return json.loads(answer.stdout) if answer.returncode == 0 else {}

    @property
    def unfinished(self):
        """The paths that the next start would repair."""
        try:
            with open(f"{SYSTEM}/state/recorder/{NAME}.unfinished.json", encoding="utf-8") as file:
                return json.load(file)
        except FileNotFoundError:
            return []

    def post(self, path):
        """Asks at once and does not wait for the answer: a program would have to be loaded first."""
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.connect(f"/run/runtime/recorder/{NAME}.sock")
        connection.sendall(f"POST /v1/{path} HTTP/1.1\r\nHost: recorder\r\nContent-Length: 0\r\n\r\n".encode())
        self.connection = connection

    def has_begun(self):
        if self.process.poll() is not None:
            raise SystemExit(f"the recorder ended with {self.process.returncode}")
        return (self.status.get("bytes") or 0) > 0

    def has_repaired(self):
        """Only what grows now is unfinished: of a split that is in work, two."""
        return all(path.startswith(f"{DISK}/{self.prefix}-") for path in self.unfinished)


def mount(arguments):
    for place in (SYSTEM, DISK):
        os.makedirs(place, exist_ok=True)
    subprocess.run(["mount", "-t", "ext4", "/dev/ubda", SYSTEM], check=True)
    subprocess.run(["mount", "-t", arguments.file_system, "/dev/ubdb", DISK], check=True)


def growing(prefix):
    return [path for path in files(DISK) if path.startswith(f"{DISK}/{prefix}-")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("number", type=int)
    parser.add_argument("kind")
    parser.add_argument("moment", type=float)
    parser.add_argument("--notes", required=True)
    parser.add_argument("--file-system", required=True)
    parser.add_argument("--recorder", required=True)
    parser.add_argument("--last", action="store_true")
    arguments = parser.parse_args()
    notes = Notes(arguments.notes)
    mount(arguments)

    sessions = notes.read("sessions", [])
    if sessions and sessions[-1]["ended"] is None:
        sessions[-1]["ended"] = last_time(notes)
    prefix = f"{arguments.number:03}"
    present = {"prefix": prefix, "kind": arguments.kind, "began": None, "ended": None}
    sessions.append(present)
    notes.write("sessions", sessions)
    clock = Clock(notes)

    judgement = Judgement(DISK)
    finished = notes.read("finished", {})
    judgement.check_untouched(finished | notes.read("promised", {}))
    notes.write("promised", {})
    recorder = Recorder(arguments.recorder, prefix, f"{arguments.notes}/recorder.log")
    recorder.start()
    if arguments.kind == plan.REPAIRING and not arguments.last:
        say("judged", problems=judgement.problems, losses=[], files=len(finished))
        end_of_power(clock)

    eventually(recorder.has_begun, "the recording to begin")
    # At the latest now: what status reports is some moments old.
    present["began"] = seconds_of_the_day()
    notes.write("sessions", sessions)
    eventually(recorder.has_repaired, "the repairs")
    judgement.check_files(sessions[:-1], prefix, finished)
    if finished:
        # What was recorded elsewhere is no matter of a run: this one's directory is said.
        words = ["retention", NAME, "--dry-run", "--json", "--keep-size", "1B", "--output", recorder.pattern]
        judgement.check_catalogue(recorder.ask(*words))
    say("judged", problems=judgement.problems, losses=judgement.losses, files=len(judgement.digests))
    # What is whole by now has to stay as it is, also if the power goes at once.
    del sessions[:-1]
    notes.write("finished", judgement.digests)
    notes.write("sessions", sessions)
    if arguments.last:
        recorder.ask("stop", NAME)
        return 0

    wait_and_act(arguments, recorder, present, sessions, notes)
    end_of_power(clock, stands_still=arguments.kind == plan.STOPPED)


def wait_and_act(arguments, recorder, present, sessions, notes):
    time.sleep(arguments.moment)
    if arguments.kind == plan.SPLITTING:
        recorder.post("split")
    elif arguments.kind == plan.STOPPING:
        present["ended"] = seconds_of_the_day()
        notes.write("sessions", sessions)
        recorder.process.send_signal(signal.SIGINT)
    elif arguments.kind == plan.STOPPED:
        present["ended"] = seconds_of_the_day()
        notes.write("sessions", sessions)
        recorder.ask("stop", NAME)
        recorder.process.wait()
        notes.write("promised", {path: movies.digest(path) for path in growing(recorder.prefix)})


def end_of_power(clock, stands_still=False):
    """- stands_still: virtual time does while a program computes. Else a guest with nothing to do leaps to the moment at
    which its kernel writes everything to the disks."""
    clock.note()
    say("now")
    while True:
        if not stands_still:
            time.sleep(1000)


if __name__ == "__main__":
    sys.exit(main())

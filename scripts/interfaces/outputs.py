"""The keys of each command's JSON, recorded: a movie is made with the built command, and each command is asked.

A value that is null here may be anything elsewhere, so its line has no kind; two lines that differ in that alone are the same.
"""
import json
import os
import subprocess
import tempfile
import time

from . import fail

# What is done, in this order, and whose lines it makes; None: no command's.
STEPS = [
    (None, "key new --output key"),
    ("start", "start x --sign key --camera test --microphone test --armed --pre-roll 5s --size 320x240 --keep-for 30d --output f.mov"),
    ("status", "status x"),
    ("save", "save x --last 1s --output saved.mov"),
    ("start", "start x"),
    ("mark", "mark x middle"),
    ("pause", "pause x"),
    ("resume", "resume x"),
    ("status", "status x"),
    ("snapshot", "snapshot x --output still.png"),
    ("split", "split x"),
    ("reload", "reload x"),
    ("stop", "stop x --disarm"),
    ("keep", "keep f.mov --note gate"),
    ("list", "list x"),
    ("unkeep", "unkeep f.mov"),
    ("retention", "retention x --dry-run --keep-for 30d --output f.mov"),
    ("delete", "delete f.mov --dry-run"),
    ("info", "info f.mov"),
    # A cut between keyframes, which always hides some frames.
    (None, "reencode saved.mov --output cut.mov --from 0.4s --codec passthrough --quiet"),
    ("info", "info cut.mov"),
    ("devices", "devices"),
    ("doctor", "doctor x"),
    ("frames", "frames f.mov --count 2 --output still-%d.png"),
    ("waveform", "waveform f.mov --output wave.png"),
    ("reencode", "reencode f.mov --output copy.mov --quiet"),
    ("repair", "repair f.mov"),
    ("verify", "verify f.mov --key key.pub"),
    ("verify", "verify saved.mov copy.mov --key key.pub"),
    ("config show", "config show x"),
    ("error", "info missing.mov"),
]
# Keys that the movie or its maker chose, or that depend on what was measured.
FREE = {("info", "metadata"), ("doctor", "checks[].values")}
# Of these only the outermost keys: they print the object of `status` in states in which parts of it are null, or what this machine has.
OUTERMOST = {"mark", "pause", "resume", "stop", "devices"}


def keys(name, value, path=""):
    if isinstance(value, dict):
        if path:
            yield f"{path}: object"
        if (name, path) in FREE or (path and name in OUTERMOST):
            return
        for key, inner in value.items():
            yield from keys(name, inner, f"{path}.{key}".lstrip("."))
    elif isinstance(value, list):
        yield f"{path}: array"
        for inner in value if name not in OUTERMOST else []:
            yield from keys(name, inner, f"{path}[]")
    elif value is None:
        yield path
    else:
        kind = "boolean" if isinstance(value, bool) else "string" if isinstance(value, str) else "number"
        yield f"{path}: {kind}"


def without_doubles(lines):
    """Of a key that was null in one place and had a kind in another, the kind."""
    known = {line.split(": ")[0] for line in lines if ": " in line}
    return {line for line in lines if ": " in line or line not in known}


class Recorder:
    """The built command, for a user who has recorded nothing yet."""

    def __init__(self, binary, place):
        self.binary, self.place = binary, place
        self.variables = {name: place for name in ("HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME")}
        self.variables["PATH"] = os.environ["PATH"]

    def run(self, *words):
        return subprocess.run(
            [self.binary, *words], cwd=self.place, env=self.variables, capture_output=True, text=True, timeout=120)

    def status(self):
        return json.loads(self.run("status", "x", "--json").stdout)

    def wait(self, reached, what):
        """Waits until the status is as it should be."""
        deadline = time.monotonic() + 60
        while not reached(self.status()):
            if time.monotonic() > deadline:
                fail(1, f"{what} in a minute")
            time.sleep(0.2)

    def wait_for_frames(self, count):
        """Waits until this number of frames was written. A file ends at the first keyframe that leaves the encoder after
        `split`: without the wait, a busy machine's could be older than the pause, which the next file would then have."""
        first = self.status()["video"]["written"]
        self.wait(lambda status: status["video"]["written"] >= first + count, f"{count} frames were not written")


def outputs(binary):
    lines = set()
    with tempfile.TemporaryDirectory() as place:
        recorder = Recorder(binary, place)
        try:
            for name, words in STEPS:
                run = recorder.run(*words.split(), *(["--json"] if name else []))
                if name is None:
                    continue
                text = run.stderr if name == "error" else run.stdout
                if not text.strip():
                    fail(1, f"recorder {words} --json printed no output: {run.stderr.strip()}")
                for line in text.splitlines():
                    lines |= {f"{name} --json gives {key}" for key in keys(name, json.loads(line))}
                if "--armed" in words:
                    recorder.wait(
                        lambda status: (status["preRoll"] or {}).get("duration", 0) >= 2,
                        "the test camera delivered less than 2 s")
                elif name == "start":
                    recorder.wait(lambda status: status["kept"], "kept recordings were not counted")
                elif name == "resume":
                    recorder.wait_for_frames(60)
        finally:
            recorder.run("stop", "x", "--disarm")
    return without_doubles(lines)


def is_same(one, other):
    """Whether two lines say the same key, of one kind as far as both know it."""
    (key, _, kind), (other_key, _, other_kind) = one.partition(": "), other.partition(": ")
    return key == other_key and (kind == other_kind or not kind or not other_kind)

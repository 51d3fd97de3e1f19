"""Movies to work on, and whether two copies of one are alike."""
import os
import re
import subprocess
import sys
from dataclasses import dataclass

from .bench import MEDIA, Bench

RATE = 25
AUDIO = ["-c:a", "aac", "-b:a", "128k"]


@dataclass
class Movie:
    path: str
    width: int
    height: int
    seconds: float


def quietly(command, what: str) -> str:
    """Runs what is not measured; returns what it printed."""
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{what} failed: {' '.join(command)}\n{result.stderr[-4000:]}")
    return result.stdout


def make_movie(bench: Bench, name: str, width: int, height: int, seconds: float, coding, audio=AUDIO) -> Movie:
    """Frames of a real camera, each different, with other audio: the recording itself is almost silent."""
    path = bench.path(name)
    # The recording has 12.5 frames a second: each is shown once, at 25, rather than twice.
    quietly(["ffmpeg", "-nostdin", "-v", "error", "-y", "-stream_loop", "-1", "-i", os.path.join(MEDIA, "car-detection.mp4"),
             "-f", "lavfi", "-i", "aevalsrc=0.3*sin(2*PI*440*t)*sin(2*PI*t)+0.1*random(0)|0.3*sin(2*PI*330*t):s=48000",
             "-map", "0:v", "-map", "1:a", "-t", str(seconds), "-r", str(RATE),
             "-vf", f"setpts=N/({RATE}*TB),scale={width}:{height}:flags=bicubic", *coding, *audio, path], f"making {name}")
    return Movie(path, width, height, seconds)


def beginning(bench: Bench, whole: Movie, seconds: float) -> Movie:
    """A shorter movie: the first seconds of another, not encoded again. Whole GOPs, so that no frame is missing."""
    stem, extension = os.path.splitext(os.path.basename(whole.path))
    path = bench.path(f"{stem}-{seconds:g}{extension}")
    if not os.path.exists(path):
        quietly(["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", whole.path, "-t", str(seconds), "-frames:v", str(round(seconds * RATE)), "-c", "copy", path], "cutting")
    return Movie(path, whole.width, whole.height, seconds)


def repeated(bench: Bench, short: Movie, times: int, name: str) -> Movie:
    """A longer movie: another one many times over, not encoded again."""
    path = bench.path(name)
    quietly(["ffmpeg", "-nostdin", "-v", "error", "-y", "-stream_loop", str(times - 1), "-i", short.path, "-c", "copy", path],
            f"making {name}")
    return Movie(path, short.width, short.height, short.seconds * times)


def fresh(*outputs: str):
    """Takes earlier outputs away, so that neither program finds room that the other had to make."""
    for output in outputs:
        if os.path.exists(output):
            os.unlink(output)


def likeness(copy: str, source: str) -> float:
    """SSIM of a copy to its source, frame by frame, wherever a container's clock begins; at the copy's size and range."""
    size = quietly(["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=width,height", "-of", "csv=p=0:s=x", copy],
                   "ffprobe").split()[0].strip("x").replace("x", ":")
    filters = ("[0:v]settb=1/1000,setpts=N,format=yuv420p[a];"
               f"[1:v]settb=1/1000,setpts=N,scale={size}:flags=bicubic,format=yuv420p[b];[a][b]ssim")
    result = subprocess.run(["ffmpeg", "-nostdin", "-i", copy, "-i", source, "-lavfi", filters, "-f", "null", "-"],
                            stdin=subprocess.DEVNULL, capture_output=True, text=True)
    found = re.search(r"All:([0-9.]+)", result.stderr)
    return float(found.group(1)) if found else float("nan")


def times(path: str, stream: str = "v:0") -> list[float]:
    """When each frame is shown, from the first one on."""
    text = quietly(["ffprobe", "-v", "error", "-select_streams", stream, "-show_entries", "packet=pts_time,flags", "-of", "csv=p=0", path],
                   "ffprobe")
    # What an edit list hides is in the file and never shown (the flag D).
    shown = sorted(float(fields[0]) for fields in (line.split(",") for line in text.split())
                   if len(fields) > 1 and "D" not in fields[1] and fields[0] != "N/A")
    return [time - shown[0] for time in shown]


def duration(path: str, stream: str) -> float:
    return float(quietly(["ffprobe", "-v", "error", "-select_streams", stream, "-show_entries", "stream=duration", "-of", "csv=p=0", path],
                         "ffprobe").split()[0].strip(","))


@dataclass
class Comparison:
    """How our copy differs from FFmpeg's. A program that does less must not win by it."""

    notes: dict
    faults: list[str]


def compare(ours: str, theirs: str, source: str | None = None, frames: float = 0, seconds: float = 0.1) -> Comparison:
    """Counts frames, compares times, sizes, the length of the audio, and with a source the likeness to it.

    - frames: that part of FFmpeg's frames may differ.
    - seconds: the most by which the lengths of the audio may differ.
    """
    a, b = times(ours), times(theirs)
    apart = max((abs(x - y) for x, y in zip(a, b)), default=0)
    size = os.path.getsize(ours) / os.path.getsize(theirs)
    notes = {"size": f"{size:.4f}", "frames": f"{len(a)}{'=' if len(a) == len(b) else '≠'}{len(b)}", "times within": f"{apart * 1000:.2f} ms"}
    faults = []
    if not a or abs(len(a) - len(b)) > frames * len(b):
        faults.append(f"{len(a)} frames instead of {len(b)}")
    # Half a frame: beyond it a frame is another one's neighbour.
    if not frames and apart > 0.5 / RATE:
        faults.append(f"times {apart * 1000:.0f} ms apart")
    if not 0.95 <= size <= 1.05:
        faults.append(f"{size:.3f} of the size")
    apart = abs(duration(ours, "a:0") - duration(theirs, "a:0"))
    if apart > seconds:
        faults.append(f"audio {apart:.2f} s apart")
    if source:
        difference = likeness(ours, source) - likeness(theirs, source)
        notes["SSIM"] = f"{difference:+.5f}"
        if not difference >= -0.002:
            faults.append(f"SSIM {difference:+.5f}")
    return Comparison(notes, faults)

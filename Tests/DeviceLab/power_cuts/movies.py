"""What other people's programs say of a movie."""

import hashlib
import json
import subprocess
from dataclasses import dataclass

FRAME_RATE = 30


@dataclass(frozen=True)
class Movie:
    path: str
    # What a decoder complains of; empty for an intact movie.
    complaints: str
    # Seconds of the day at which its first frame was taken, and at which it ends; None without a time code.
    begin: float | None
    end: float | None


def examine(path):
    """Decodes all of it, and reads from its time code when it was recorded."""
    decoded = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "warning", "-xerror", "-i", path, "-fps_mode", "passthrough"]
        + ["-enc_time_base:v", "1:1000000", "-f", "null", "-"],
        capture_output=True, text=True,
    )
    complaints = decoded.stderr.strip()
    if decoded.returncode != 0 and not complaints:
        complaints = f"ffmpeg ended with {decoded.returncode}"
    probed = subprocess.run(
        ["ffprobe", "-v", "error", "-show_entries", "format=duration:stream_tags=timecode", "-of", "json", path],
        capture_output=True, text=True,
    )
    found = json.loads(probed.stdout or "{}")
    codes = [stream.get("tags", {}).get("timecode") for stream in found.get("streams", [])]
    code = next((code for code in codes if code), None)
    if code is None or "duration" not in found.get("format", {}):
        return Movie(path, complaints, None, None)
    hours, minutes, seconds, frames = (int(part) for part in code.replace(";", ":").split(":"))
    begin = hours * 3600 + minutes * 60 + seconds + frames / FRAME_RATE
    return Movie(path, complaints, begin, begin + float(found["format"]["duration"]))


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def passed(begin, end):
    """Seconds from one time of the day to another, over midnight too."""
    return (end - begin + 43_200) % 86_400 - 43_200

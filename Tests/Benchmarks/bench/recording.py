"""A live recording by the recorder and by others, with the same settings, and what it took."""
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Callable, NamedTuple

from . import sources
from .bench import Bench
from .sources import RATE, Camera

CRF = 23
KEYFRAME_SECONDS = 2


@dataclass
class Settings:
    """What is recorded; `camera` is None for audio alone."""

    camera: Camera | None
    preset: str = "veryfast"
    audio: bool = True
    key: str | None = None  # signs what the recorder records
    stage: bool = False  # frames are rotated, masked and stamped (stage.py)
    skips: bool = False  # frames that repeat the one before are not encoded
    helper: bool = False  # the camera is behind libcamera: its frames come from a helper

    @property
    def is_copied(self) -> bool:
        return self.camera is not None and self.camera.clip.kind == "h264"


class Recording(NamedTuple):
    cpu: float  # seconds of processor time in the time that was measured
    seconds: float  # that time
    frames: int  # in the file; packets of audio where there is no video
    missing: int  # between the first and the last frame in the file
    bytes: int  # of the file
    x264_threads: int  # that encode, of the recorder; what another program's are called is not known
    account: tuple[int, int] = (0, 0)  # frames that the program itself counted: captured, lost

    @property
    def cpu_per_minute(self) -> float:
        return self.cpu / self.seconds * 60


def recorder(bench: Bench, settings: Settings, output: str, name: str = "bench") -> list[str]:
    """The recorder's command, until it gets INT."""
    command = [bench.recorder, "run", name, "--overwrite", "--output", output]
    command += ["--sign", settings.key] if settings.key else []
    command += ["--skip-identical", "yes"] if settings.skips else []
    camera = settings.camera
    if camera is None:
        command += ["--camera", "none"]
    else:
        name = f"libcamera:{camera.device}" if settings.helper else camera.device
        command += ["--camera", name, "--size", camera.clip.size, "--frame-rate", str(RATE), "--pixel-format", camera.clip.kind]
        command += ["--codec", "passthrough"] if settings.is_copied else [
            "--preset", settings.preset, "--crf", str(CRF), "--key-frame-interval", f"{KEYFRAME_SECONDS}s"]
    return command + (["--microphone", "drifting", "--audio-codec", "aac", "--audio-bit-rate", "128k"]
                      if settings.audio else ["--microphone", "none"])


def ffmpeg(bench: Bench, settings: Settings, output: str) -> list[str]:
    """FFmpeg's. Fragments begin with keyframes, so that a crash costs two seconds, not the movie. Each frame keeps its time."""
    command = ["ffmpeg", "-y", "-v", "error", "-nostats", "-nostdin"]
    camera = settings.camera
    if camera:
        command += ["-thread_queue_size", "64", "-f", "v4l2", "-framerate", str(RATE), "-video_size", camera.clip.size,
                    "-input_format", sources.FFMPEG_NAME[camera.clip.kind], "-ts", "abs", "-i", camera.device]
    if settings.audio:
        command += ["-thread_queue_size", "512", "-f", "alsa", "-ar", "48000", "-ac", "2", "-i", "drifting",
                    "-c:a", "aac", "-b:a", "128k"]
    if settings.is_copied:
        command += ["-c:v", "copy"]
    elif camera:
        # A JPEG camera's frames are full range: so they stay, on both sides.
        layout = "yuvj420p" if camera.clip.kind == "mjpeg" else "yuv420p"
        command += ["-c:v", "libx264", "-preset", settings.preset, "-crf", str(CRF), "-g", str(RATE * KEYFRAME_SECONDS),
                    "-pix_fmt", layout, "-fps_mode", "passthrough"]
    return command + [*FRAGMENTS, output]


def capture_program(bench: Bench, settings: Settings, output: str) -> list[str]:
    """A program that captures by Apple's names, with a session, data outputs and a writer, whose defaults are these settings."""
    camera = settings.camera
    return [bench.tool("capture-with-writer"), "--camera", camera.device, "--size", camera.clip.size, "--frame-rate", str(RATE),
            "--output", output, "--account", output + ".json", *(["--microphone", "drifting"] if settings.audio else [])]


def account_of_recorder(bench: Bench, output: str) -> tuple[int, int]:
    result = subprocess.run([bench.recorder, "info", "--json", output], capture_output=True, text=True, check=True)
    ledger = json.loads(result.stdout)["ledger"]["video"]
    return ledger["captured"], sum(ledger["dropped"].values())


def account_of_program(bench: Bench, output: str) -> tuple[int, int]:
    path = output + ".json"
    with open(path) as file:
        ledger = json.load(file)
    os.unlink(path)
    return ledger["captured"], ledger["dropped"]


def gstreamer(bench: Bench, settings: Settings, output: str) -> list[str]:
    """GStreamer's; its AAC encoder is libavcodec's too."""
    camera = settings.camera
    words = ["gst-launch-1.0", "-q", "-e", "qtmux", "name=movie", f"fragment-duration={KEYFRAME_SECONDS * 1000}", "!",
             "filesink", f"location={output}"]
    if camera:
        kind = {"yuyv": "video/x-raw,format=YUY2", "mjpeg": "image/jpeg", "h264": "video/x-h264"}[camera.clip.kind]
        words += ["v4l2src", f"device={camera.device}", "!",
                  f"{kind},width={camera.clip.width},height={camera.clip.height},framerate={RATE}/1", "!", "queue", "!"]
        if settings.is_copied:
            words += ["h264parse", "!", "queue", "!", "movie."]
        else:
            words += ["jpegdec", "!"] if camera.clip.kind == "mjpeg" else []
            words += ["videoconvert", "!", "video/x-raw,format=I420", "!", "x264enc", f"speed-preset={settings.preset}", "pass=qual",
                      f"quantizer={CRF}", f"key-int-max={RATE * KEYFRAME_SECONDS}", "!", "h264parse", "!", "queue", "!", "movie."]
    if settings.audio:
        words += ["alsasrc", "device=drifting", "!", "audio/x-raw,rate=48000,channels=2", "!", "queue", "!", "audioconvert", "!",
                  "avenc_aac", "bitrate=128000", "!", "queue", "!", "movie."]
    return words


FRAGMENTS = ["-movflags", "+frag_keyframe+empty_moov+default_base_moof"]


def environment(bench: Bench, settings: Settings) -> dict[str, str]:
    return {**os.environ, **sources.microphone(bench), **sources.own_directories(bench),
            **(settings.camera.environment if settings.camera and not settings.helper else {})}


def cpu(process: int) -> float:
    """Seconds of processor time of a process and all its threads, to the nanosecond (clock_getcpuclockid(3))."""
    return time.clock_gettime((~process << 3) | 2)


def children(process: int) -> list[int]:
    """The processes that a process has started: the helper of its camera (proc_pid_task(5))."""
    found = []
    for thread in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{thread}/children") as file:
            found += map(int, file.read().split())
    return found


def begin(bench: Bench, command: list[str], settings: Settings) -> subprocess.Popen:
    errors = open(bench.path("errors.txt"), "w")
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
                            env=environment(bench, settings))


def end(bench: Bench, process: subprocess.Popen):
    """Interrupts it, waits until the file is whole."""
    # Not by Popen, which would take the end of one that has failed for itself.
    os.kill(process.pid, signal.SIGINT)
    _, status = os.waitpid(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    # FFmpeg says so of an interrupt.
    if process.returncode not in (0, 255):
        with open(bench.path("errors.txt")) as errors:
            sys.exit(f"{' '.join(process.args)} ended with {process.returncode}:\n{errors.read()[-4000:]}")


def record(bench: Bench, command: list[str], settings: Settings, settle: float, seconds: float,
           profile: str | None = None, account: Callable[[Bench, str], tuple[int, int]] | None = None) -> Recording:
    """Records for `settle` seconds from the program's start and for `seconds` more, of which the processor time is taken, and
    with `profile` samples, for profile.py. `account` reads what the program itself counted.
    """
    process = begin(bench, command, settings)
    time.sleep(settle)
    processes = [process.pid, *children(process.pid)]
    before, began = sum(map(cpu, processes)), time.monotonic()
    if profile:
        subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "-F", "997", "-p", str(process.pid), "-o", profile,
                        "--", "sleep", str(seconds)], check=True, capture_output=True)
    else:
        time.sleep(seconds)
    used, took = sum(map(cpu, processes)) - before, time.monotonic() - began
    x264_threads = max(1, thread_names(process.pid).count("x264"))
    end(bench, process)
    output = next(word.removeprefix("location=") for word in command if word.endswith(".mov"))
    frames, missing = count(output, "v" if settings.camera else "a")
    size = os.path.getsize(output)
    counted = account(bench, output) if account else (0, 0)
    os.unlink(output)
    # Of a still only the keyframes are stored.
    least = seconds / KEYFRAME_SECONDS if settings.skips else seconds * (RATE if settings.camera else 48000 / 1024)
    least *= 0.5
    if frames < least:
        sys.exit(f"{' '.join(command)} wrote {frames} frames, which is less than half")
    return Recording(used, took, frames, missing, size, x264_threads, counted)


def thread_names(process: int) -> list[str]:
    names = []
    for thread in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{thread}/comm") as file:
            names.append(file.read().strip())
    return names


def count(path: str, kind: str) -> tuple[int, int]:
    """Frames in a file, and those that are missing between the first and the last, by their times."""
    words = subprocess.run(["ffprobe", "-v", "error", "-select_streams", kind, "-show_entries", "packet=pts_time", "-of", "csv=p=0",
                            path], capture_output=True, text=True, check=True).stdout.replace(",", "").split()
    times = sorted(float(word) for word in words if word != "N/A")
    if kind == "a" or len(times) < 2:
        return len(times), 0
    return len(times), max(0, round((times[-1] - times[0]) * RATE) + 1 - len(times))

"""A camera and a microphone for both programs, on a machine that has none, at the pace of real ones.

The camera is paced-camera.c, a process that stands for the hardware; the microphone is the tests' own plug-in of ALSA.
"""
import atexit
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import NamedTuple

from .bench import MEDIA, Bench

RATE = 30
NOISE = 2  # of the sensor, in steps of 255
FOURCC = {"yuyv": b"YUYV", "mjpeg": b"MJPG", "h264": b"H264"}
FFMPEG_NAME = {"yuyv": "yuyv422", "mjpeg": "mjpeg", "h264": "h264"}
CLIPS: list[str] = []  # the directory with them


@dataclass
class Clip:
    """Moving frames, as a camera gives them."""

    path: str
    width: int
    height: int
    kind: str  # "yuyv", "mjpeg", "h264"

    @property
    def size(self) -> str:
        return f"{self.width}x{self.height}"


def clip(bench: Bench, width: int, height: int, kind: str, burst: bool = False, megabits: int = 8, changed: str = "",
         still: bool = False) -> Clip:
    """Ten seconds of a real scene; made once. `burst`: four of them, from the second on, are noise, as when a light goes out.
    `still`: only its first frame, of YUYV, as of a slide. `megabits`: what a camera's own encoder makes a second. `changed`:
    FFmpeg's filters for the frames of YUYV, of which the first rotates by a quarter turn."""
    form = "".join(f"-{word}" for word, is_so in [("burst", burst), ("changed", changed), ("still", still)] if is_so)
    path = os.path.join(memory(bench), f"{width}x{height}{form}-{megabits}.{kind}")
    shown = (height, width) if changed else (width, height)
    if not os.path.exists(path):
        if kind == "yuyv":
            data = footage(width, height, "-pix_fmt", "yuyv422", "-f", "rawvideo", burst=burst, changed=changed)
            frames = [data[at:at + width * height * 2] for at in range(0, len(data), width * height * 2)]
            frames = frames[:1] if still else frames
        elif kind == "mjpeg":
            # 4:2:2 as most webcams give.
            data = footage(width, height, "-pix_fmt", "yuvj422p", "-c:v", "mjpeg", "-q:v", "3", "-f", "mjpeg")
            frames = parts(data, b"\xff\xd8\xff")
        else:
            # As a camera's own encoder does it: no B-frames, a keyframe with its parameter sets every second.
            data = footage(width, height, "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "veryfast", "-tune", "zerolatency",
                            "-b:v", f"{megabits}M", "-g", str(RATE), "-x264-params", "sliced-threads=0",
                            "-bsf:v", "h264_metadata=aud=insert", "-f", "h264")
            frames = parts(data, b"\0\0\0\1\x09")
        write(path, *shown, kind, frames)
    return Clip(path, *shown, kind)


def planar(bench: Bench, width: int, height: int, of_jpeg: bool) -> str:
    """The same scene as x264 gets it: I420, frame after frame."""
    path = os.path.join(memory(bench), f"{width}x{height}{'-jpeg' if of_jpeg else ''}.i420")
    if not os.path.exists(path):
        between = ["-pix_fmt", "yuvj422p", "-c:v", "mjpeg", "-q:v", "3", "-f", "mjpeg"]
        data = footage(width, height, *between) if of_jpeg else None
        source = ["-f", "mjpeg", "-i", "-"] if of_jpeg else scene(width, height)
        with open(path, "wb") as file:
            subprocess.run(["ffmpeg", "-v", "error", *source, "-pix_fmt", "yuvj420p" if of_jpeg else "yuv420p",
                            "-f", "rawvideo", "-"], input=data, stdout=file, check=True)
    return path


def memory(bench: Bench) -> str:
    """Where clips lie: in memory, away from the disk that is recorded to. Gone with the benchmark."""
    if not CLIPS:
        CLIPS.append(tempfile.mkdtemp(prefix="bench.", dir="/dev/shm" if os.path.isdir("/dev/shm") else bench.place))
        atexit.register(shutil.rmtree, CLIPS[0], ignore_errors=True)
    return CLIPS[0]


def scene(width: int, height: int) -> list[str]:
    return ["-ss", "5", "-i", os.path.join(MEDIA, "car-detection.mp4"), "-frames:v", str(10 * RATE),
            "-vf", f"setpts=N/{RATE}/TB,scale={width}:{height}:flags=bicubic,noise=alls={NOISE}:allf=t", "-r", str(RATE), "-an"]


def footage(width: int, height: int, *output: str, burst: bool = False, changed: str = "") -> bytes:
    words = scene(width, height)
    if changed:
        words[words.index("-vf") + 1] += f",{changed}"
    if burst:
        filters = words.index("-vf") + 1
        words[filters] += ",noise=alls=60:allf=t:enable='between(t,2,6)'"
    return subprocess.run(["ffmpeg", "-v", "error", *words, *output, "-"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, check=True).stdout


def parts(data: bytes, beginning: bytes) -> list[bytes]:
    return [beginning + part for part in data.split(beginning)[1:]]


def write(path: str, width: int, height: int, kind: str, frames: list[bytes]):
    """paced-camera.h, `struct clip`."""
    largest = max(map(len, frames))
    # A camera says beforehand what a compressed frame can take at most, and says too much.
    largest = largest if kind == "yuyv" else width * height * 2
    with open(path, "wb") as file:
        file.write(struct.pack("<4s4s6I", b"CLIP", FOURCC[kind], width, height, RATE, 1, len(frames), largest))
        file.write(struct.pack(f"<{len(frames)}I", *map(len, frames)))
        file.writelines(frames)


class Stream(NamedTuple):
    """What a camera gave to one program that streamed from it."""

    first: int  # when the first frame was given, monotonic ns
    given: int
    lost: int  # because no buffer was queued


class Camera:
    """The camera, from `with` to its end. Programs that are to see it need `environment`."""

    def __init__(self, bench: Bench, clip: Clip, name: str = "camera", numbered: bool = False):
        self.clip = clip
        self.directory = bench.path("devices")
        self.device = os.path.join(self.directory, name)
        self.log = bench.path(f"{name}.streams")
        self.command = [bench.tool("paced-camera"), self.directory, name, clip.path, *(["--numbered"] if numbered else [])]
        self.environment = {"LD_PRELOAD": bench.tool("paced-camera-shim.so"), "PACED_CAMERAS": self.directory}

    def __enter__(self):
        os.makedirs(self.directory, exist_ok=True)
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(self.command, stdout=log)
        wait_for(lambda: os.path.lexists(self.device) or self.process.poll() is not None, "the camera")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        os.unlink(self.device)

    def streams(self) -> list[Stream]:
        """Those that have ended, the oldest first."""
        with open(self.log) as log:
            return [Stream(*map(int, line.split())) for line in log.read().splitlines()]


def microphone(bench: Bench) -> dict[str, str]:
    """The environment in which ALSA has a microphone called `drifting`, which does not drift: 48 kHz, two channels, 16 bits."""
    path = bench.path("asound.conf")
    with open(path, "w") as file:
        file.write("</usr/share/alsa/alsa.conf>\n"
                   f"pcm_type.drifting {{ lib \"{bench.tool('libasound_module_pcm_drifting.so')}\" }}\n"
                   "pcm.drifting { type drifting ppm 0 }\n")
    return {"ALSA_CONFIG_PATH": path}


def own_directories(bench: Bench) -> dict[str, str]:
    """The environment in which the recorder keeps everything where the benchmark's things are."""
    names = {"HOME": "home", "XDG_STATE_HOME": "state", "XDG_CONFIG_HOME": "configuration", "XDG_RUNTIME_DIR": "run"}
    for name in names.values():
        os.makedirs(bench.path(name), mode=0o700, exist_ok=True)
    return {key: bench.path(name) for key, name in names.items()}


def wait_for(condition, what: str, seconds: float = 20):
    """Until it holds. What does not happen ends the benchmark."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            sys.exit(f"{what}: no result after {seconds} s")
        time.sleep(0.002)

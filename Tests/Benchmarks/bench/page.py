"""A camera in a browser: ours beside motion and ustreamer, on the same camera at the same size and rate.

Both of them send motion JPEG, every frame a whole image; ours sends the H.264 that is recorded. So bytes are given twice: those
until the first frame can be shown, where a JPEG is small, and those of a second, where it is not. ustreamer records nothing;
motion is measured as it shows only, and as it records all the time, which ours always does.

The camera paints numbers into its frames, and says when it gave number 0; a client on loopback notes when a frame has come
whole and reads its number afterwards. What a browser adds to that is `scripts/soak page delay`'s matter.
"""
import http.client
import json
import os
import socket
import statistics
import subprocess
import sys
import time
from typing import Callable, Iterator, NamedTuple

from . import recording, sources
from .bench import Bench
from .measuring import alternating
from .recording import Settings, cpu
from .row import Row
from .sources import RATE, Camera

SIZE = (1280, 720)
QUALITY = 80  # of a JPEG: ustreamer's default, and for motion too
SETTLE = 4  # seconds until a program runs as it will continue to run
VIDEO = 1  # the number of the video track in ours


class Seen(NamedTuple):
    """What one client got from one program."""

    delays: list[float]  # seconds from the camera's tick until a frame had come
    cpu_per_minute: float
    first_bytes: int  # until the first frame was complete
    first_seconds: float
    megabits: float  # a second
    rate: float  # frames a second


def rows(bench: Bench) -> Iterator[Row]:
    seconds = 4 if bench.quick else 10
    for kind in ("yuyv", "mjpeg"):
        name = f"720p30 {'YUYV' if kind == 'yuyv' else 'MJPEG'}"
        if not bench.wants(name):
            continue
        # Numbers can be painted into raw frames only.
        with Camera(bench, sources.clip(bench, *SIZE, kind), numbered=kind == "yuyv") as camera:
            def measure(program: Callable, *words: str) -> Seen:
                return program(bench, camera, seconds, *words)

            low = lambda: measure(ours, "--low-latency")
            yield from compare(name, "ustreamer", alternating(bench.pairs, low, lambda: measure(ustreamer)))
            yield from compare(name, "motion", alternating(bench.pairs, low, lambda: measure(motion)))
            yield from compare(name, "motion, which records", alternating(bench.pairs, low, lambda: measure(motion, *RECORDS)))
            plain = [measure(ours) for _ in range(bench.pairs)]
            yield from alone(f"{name}, at the defaults", plain)


def compare(name: str, against: str, pairs: list[tuple[Seen, Seen]]) -> Iterator[Row]:
    def row(what: str, value: Callable[[Seen], float], **notes) -> Row:
        return Row("page", name, what, [value(a) for a, _ in pairs], [value(b) for _, b in pairs], against, notes=notes)

    def both(value: Callable[[Seen], float]) -> str:
        return " : ".join(f"{statistics.median(value(pair[side]) for pair in pairs):.3g}" for side in (0, 1))

    if pairs[0][0].delays:
        yield row("camera to client ms", lambda seen: statistics.median(seen.delays) * 1000,
                  p95=both(lambda seen: quantile(seen.delays, 0.95) * 1000), frames_a_second=both(lambda seen: seen.rate))
    yield row("CPU s per minute", lambda seen: seen.cpu_per_minute)
    yield row("KiB to the first frame", lambda seen: seen.first_bytes / 1024, ms=both(lambda seen: seen.first_seconds * 1000))
    yield row("Mbit/s", lambda seen: seen.megabits)


def alone(name: str, all: list[Seen]) -> Iterator[Row]:
    if all[0].delays:
        yield Row("page", name, "camera to client ms", [statistics.median(seen.delays) * 1000 for seen in all])
    yield Row("page", name, "CPU s per minute", [seen.cpu_per_minute for seen in all])
    yield Row("page", name, "Mbit/s", [seen.megabits for seen in all])


def quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


# Ours

def ours(bench: Bench, camera: Camera, seconds: float, *words: str) -> Seen:
    """A recorder that records, and the page's server on loopback."""
    settings = Settings(camera, audio=False)
    command = [*recording.recorder(bench, settings, bench.path("page.mov"), "page"), *words]
    process = recording.begin(bench, command, settings)
    web = subprocess.Popen([os.path.join(os.path.dirname(bench.recorder), "recorder-web"), "--open", "--state", bench.path("web")],
                           stdout=subprocess.PIPE, text=True, env=without_desktop(recording.environment(bench, settings)))
    address = web.stdout.readline().split()[-1].removeprefix("http://")
    host, path = address.split("/", 1)
    asked = http.client.HTTPConnection(host)
    asked.request("GET", "/" + path)
    cookie = asked.getresponse().getheader("Set-Cookie").split(";")[0]
    asked.close()
    time.sleep(SETTLE)
    client = PageClient(host, f"GET /api/watch?recorders=page HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n")
    seen = watch(client, [process.pid, web.pid], seconds)
    web.terminate()
    web.wait()
    recording.end(bench, process)
    os.unlink(bench.path("page.mov"))
    return finish(bench, camera, client, seen)


def without_desktop(environment: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in environment.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}


# The others

def ustreamer(bench: Bench, camera: Camera, seconds: float) -> Seen:
    port = free_port()
    # A JPEG camera's frames are sent as they are.
    form = ["--format", "MJPEG", "--encoder", "HW"] if camera.clip.kind == "mjpeg" else ["--format", "YUYV"]
    return served(bench, camera, seconds, port, "/stream", [
        "ustreamer", "--device", camera.device, *form, "--resolution", camera.clip.size, "--desired-fps", str(RATE),
        "--quality", str(QUALITY), "--host", "127.0.0.1", "--port", str(port)])


# A recording that continues whether something moves or not.
RECORDS = ["movie_output on", "emulate_motion on", "movie_codec mkv", "movie_max_time 0"]


def motion(bench: Bench, camera: Camera, seconds: float, *lines: str) -> Seen:
    port = free_port()
    path = bench.path("motion.conf")
    plain = [] if lines else ["movie_output off"]
    with open(path, "w") as file:
        print("daemon off", "setup_mode off", "log_level 3", f"video_device {camera.device}", f"width {camera.clip.width}",
              f"height {camera.clip.height}", f"framerate {RATE}", "picture_output off", f"target_dir {bench.path('motion')}",
              f"stream_port {port}", "stream_localhost on", f"stream_maxrate {RATE}", f"stream_quality {QUALITY}", "webcontrol_port 0",
              *plain, *lines, sep="\n", file=file)
    # Without a recording nothing is looked for that moves; with one all is recorded.
    return served(bench, camera, seconds, port, "/", ["motion", "-n", *([] if lines else ["-m"]), "-c", path])


def served(bench: Bench, camera: Camera, seconds: float, port: int, path: str, command: list[str]) -> Seen:
    with open(bench.path("errors.txt"), "w") as errors:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors,
                                   env={**os.environ, **camera.environment})
    time.sleep(SETTLE)
    if process.poll() is not None:
        with open(bench.path("errors.txt")) as errors:
            sys.exit(f"{' '.join(command)} ended with {process.returncode}:\n{errors.read()[-4000:]}")
    client = JPEGClient(f"127.0.0.1:{port}", f"GET {path} HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
    seen = watch(client, [process.pid], seconds)
    process.terminate()
    process.wait()
    return finish(bench, camera, client, seen)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


# A client

class Client:
    """Reads an answer, and notes when a frame has come."""

    def __init__(self, host: str, request: str):
        self.began = time.monotonic()
        self.bytes = 0
        self.waiting = bytearray()
        self.first: tuple[int, float] | None = None
        self.arrivals: list[float] = []
        name, port = host.split(":")
        self.socket = socket.create_connection((name, int(port)), timeout=20)
        self.socket.sendall(request.encode())

    def read_for(self, seconds: float):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            part = self.socket.recv(1 << 18)
            now = time.monotonic()
            if not part:
                sys.exit("the recorder has ended")
            self.bytes += len(part)
            self.waiting += part
            self.take(now)

    def arrived(self, now: float):
        self.arrivals.append(now)
        if self.first is None:
            self.first = (self.bytes - len(self.waiting), now - self.began)


class JPEGClient(Client):
    """multipart/x-mixed-replace, whose parts say how long they are."""

    def __init__(self, *words):
        super().__init__(*words)
        self.images: list[bytes] = []

    def take(self, now: float):
        while True:
            head = self.waiting.lower().find(b"content-length:")
            begin = self.waiting.find(b"\r\n\r\n", head) + 4 if head >= 0 else 3
            if begin < 4:
                return
            length = int(self.waiting[head + 15:self.waiting.find(b"\r\n", head)])
            if len(self.waiting) < begin + length:
                return
            self.images.append(bytes(self.waiting[begin:begin + length]))
            del self.waiting[:begin + length]
            self.arrived(now)

    def numbers(self, bench: Bench) -> list[int]:
        return painted(bench, b"".join(self.images), "mjpeg")


class PageClient(Client):
    """`/api/watch`, as docs/reference/web-openapi.yaml has it."""

    def __init__(self, *words):
        super().__init__(*words)
        self.body = bytearray()
        self.movie = bytearray()
        self.has_headers = False

    def take(self, now: float):
        if not self.has_headers:
            end = self.waiting.find(b"\r\n\r\n")
            if end < 0:
                return
            if not self.waiting.startswith(b"HTTP/1.1 200"):
                sys.exit(f"unexpected response of the page server: {bytes(self.waiting[:end])!r}")
            del self.waiting[:end + 4]
            self.has_headers = True
        while True:
            end = self.waiting.find(b"\r\n")
            if end < 0:
                break
            size = int(self.waiting[:end], 16)
            if len(self.waiting) < end + size + 4:
                break
            self.body += self.waiting[end + 2:end + 2 + size]
            del self.waiting[:end + size + 4]
        self.unpack(now)

    def unpack(self, now: float):
        while len(self.body) >= 8:
            length, kind = int.from_bytes(self.body[:4], "big"), self.body[4]
            if len(self.body) < 8 + length:
                break
            payload = self.body[8:8 + length]
            del self.body[:8 + length]
            if kind == 3:
                self.movie += payload[2 + int.from_bytes(payload[:2], "big"):]
            elif kind == 4:
                self.movie += payload
                track = payload.find(b"tfhd") + 8
                if int.from_bytes(payload[track:track + 4], "big") == VIDEO:
                    self.arrived(now)

    def arrived(self, now: float):
        super().arrived(now)
        if len(self.arrivals) == 1:
            self.first = (self.bytes - len(self.waiting) - len(self.body), self.first[1])

    def numbers(self, bench: Bench) -> list[int]:
        """In the order in which packets came, which is not that in which they are shown."""
        path = bench.path("page.mp4")
        with open(path, "wb") as file:
            file.write(self.movie)
        shown = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=pts", "-of", "json", path],
                               capture_output=True, check=True).stdout
        times = [packet["pts"] for packet in json.loads(shown)["packets"]]
        order = sorted(range(len(times)), key=times.__getitem__)
        numbers = [0] * len(times)
        for place, number in zip(order, painted(bench, path)):
            numbers[place] = number
        os.unlink(path)
        return numbers


def painted(bench: Bench, movie: bytes | str, form: str | None = None) -> list[int]:
    """The numbers that paced-camera.c painted, frame by frame."""
    source = ["-i", movie] if form is None else ["-f", form, "-i", "-"]
    pixels = subprocess.run(
        ["ffmpeg", "-v", "fatal", *source, "-fps_mode", "passthrough", "-vf", "crop=512:16:0:0,scale=32:1:flags=area", "-pix_fmt", "gray",
         "-f", "rawvideo", "-"], input=None if form is None else movie, stdin=subprocess.DEVNULL if form is None else None,
        capture_output=True, check=True).stdout
    return [sum(1 << (31 - place) for place in range(32) if pixels[at + place] > 125) for at in range(0, len(pixels), 32)]


# Measuring

def watch(client: Client, processes: list[int], seconds: float) -> tuple[float, float, float]:
    """The processor time of a minute, megabits and frames of a second, after the first two: what was kept for new viewers."""
    client.read_for(2)
    bytes, frames, used, began = client.bytes, len(client.arrivals), sum(map(cpu, processes)), time.monotonic()
    client.counted_from = began
    client.read_for(seconds)
    took = time.monotonic() - began
    client.socket.close()
    return ((sum(map(cpu, processes)) - used) / took * 60, (client.bytes - bytes) * 8e-6 / took,
            (len(client.arrivals) - frames) / took)


def finish(bench: Bench, camera: Camera, client: Client, seen: tuple[float, float, float]) -> Seen:
    delays: list[float] = []
    if "--numbered" in camera.command:
        # The last stream: some open a camera twice.
        time.sleep(0.5)
        first = camera.streams()[-1].first / 1e9
        numbers = client.numbers(bench)
        delays = [arrival - first - number / RATE for number, arrival in zip(numbers, client.arrivals)
                  if arrival >= client.counted_from]
        if len(delays) < RATE or min(delays) < 0 or max(delays) > 10:
            sys.exit(f"invalid frame numbers: {len(delays)} delays, {min(delays, default=0)} to {max(delays, default=0)} s")
    return Seen(delays, seen[0], client.first[0], client.first[1], seen[1], seen[2])

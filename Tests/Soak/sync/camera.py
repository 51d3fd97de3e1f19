"""A network camera with a clock of its own, which serves any number of receivers over TCP with the same content at the same times.

Its clock is fast by some ppm. Frame N is captured, and sent at once, when that clock shows N frame intervals; a packet of audio is sent
when its last audio frame is captured. From a seed, its RTP times jump, and its sender reports lie.
"""
import base64
import random
import select
import socket
import struct
import threading
import time
from dataclasses import dataclass

from network.camera import CLOCK, marked, payloads

from .content import RATE

EPOCH = 2_208_988_800  # seconds from 1900 to 1970
REPORT = 5.0  # seconds between sender reports
SETTLE = 20.0  # seconds before the first fault
JUMPS = ["forward", "back"]
LIES = ["hour", "1970", "2036", "one stream", "other times", "standing still", "random"]


@dataclass
class Fault:
    start: float  # seconds of the camera's clock
    kind: str
    size: float  # seconds: of a jump
    end: float  # of wrong reports


def schedule(seed, seconds):
    """One fault after the other, with time between them."""
    chance, faults, at, drawn = random.Random(f"{seed} clock"), [], SETTLE, []
    while at < seconds - SETTLE:
        if not drawn:
            drawn = chance.sample(JUMPS + LIES, len(JUMPS + LIES))
        kind = drawn.pop()
        # RTP times that go back by less than two seconds are frames that arrive late.
        size = {"forward": chance.uniform(1, 4000), "back": -chance.uniform(3, 4000)}.get(kind, 0)
        faults.append(Fault(at, kind, size, at + 3 * REPORT))
        at += 3 * REPORT + chance.uniform(10, 40)
    return faults


class Camera:
    """Accepts connections until `stop`. Each has a thread of its own."""

    def __init__(self, name, ppm, seed, seconds, video, audio):
        self.name, self.speed, self.audio = name, 1 + ppm * 1e-6, audio
        self.frames, self.sets = video
        self.faults = schedule(f"{seed} {name}", seconds)
        self.seed = seed
        self.stopping = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(0.1)
        self.url = f"rtsp://127.0.0.1:{self.listener.getsockname()[1]}/sync"
        self.began = time.monotonic()
        self.threads, self.problems, self.latest = [], [], 0.0
        self.threads.append(threading.Thread(target=self.accept, daemon=True))
        self.threads[0].start()

    def emission(self, seconds):
        """The time of the host's monotonic clock at which the camera's clock shows these seconds."""
        return self.began + seconds / self.speed

    def seconds(self):
        """What the camera's clock shows now."""
        return (time.monotonic() - self.began) * self.speed

    def accept(self):
        number = 0
        while not self.stopping.is_set():
            try:
                connection, _ = self.listener.accept()
            except TimeoutError:
                continue
            number += 1
            thread = threading.Thread(target=self.serve, args=(connection, number), daemon=True)
            self.threads.append(thread)
            thread.start()

    def serve(self, connection, number):
        try:
            Client(self, connection, f"{self.seed} {self.name} {number}").serve()
        except OSError:
            pass  # the receiver has ended
        except Exception as error:  # pylint: disable=broad-except
            self.problems.append(f"camera {self.name}: {error!r}")  # a defect of this program
        finally:
            connection.close()

    def stop(self):
        self.stopping.set()
        for thread in list(self.threads):
            thread.join(10)
        self.listener.close()


class Client:
    """One receiver."""

    def __init__(self, camera, connection, seed):
        self.camera, self.connection, self.chance = camera, connection, random.Random(seed)
        self.received, self.plays, self.ended = b"", False, False
        self.channels = {}  # the first channel of each stream
        self.sources, self.origins, self.sequences = ([self.chance.getrandbits(32) for _ in range(2)] for _ in range(3))
        self.rates = [CLOCK, camera.audio.rate]

    def serve(self):
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.connection.settimeout(30)
        while not self.plays and not self.over():
            self.read(0.1)
        frame = int(self.camera.seconds() * RATE) + 1
        audio = self.camera.audio
        packet = int(self.camera.seconds() * audio.rate / audio.size) + 1
        report = self.camera.seconds() + 1
        while not self.over():
            now = self.camera.seconds()
            # In the order of their times.
            due = [frame / RATE, (packet + 1) * audio.size / audio.rate, report]
            first = min(range(3), key=lambda index: due[index])
            if due[first] > now:
                self.read(min(0.05, (due[first] - now) / self.camera.speed))
                continue
            self.camera.latest = max(self.camera.latest, now - due[first])
            if first == 0:
                self.send_frame(frame)
                frame += 1
            elif first == 1:
                self.send(1, packet * audio.size, audio.packets[packet % len(audio.packets)], True, packet * audio.size / audio.rate)
                packet += 1
            else:
                self.report(now)
                report += REPORT

    def over(self):
        return self.ended or self.camera.stopping.is_set()

    # Packets

    def shift(self, seconds):
        """The seconds by which the RTP times have jumped."""
        return sum(fault.size for fault in self.camera.faults if fault.kind in JUMPS and fault.start <= seconds)

    def send_frame(self, number):
        parts = list(payloads(marked(self.camera.frames[number % len(self.camera.frames)], number)))
        # As many cameras do before each keyframe.
        if number % RATE == 0:
            parts = self.camera.sets + parts
        for index, part in enumerate(parts):
            self.send(0, number * CLOCK // RATE, part, index == len(parts) - 1, number / RATE)

    def send(self, stream, ticks, payload, marker, captured):
        ticks += int(self.shift(captured) * self.rates[stream])
        packet = struct.pack(">BBHII", 0x80, 96 + stream | 0x80 * marker, self.sequences[stream] & 0xFFFF,
                             self.origins[stream] + ticks & 0xFFFFFFFF, self.sources[stream]) + payload
        self.sequences[stream] += 1
        self.interleave(self.channels.get(stream), packet)

    def report(self, seconds):
        lie = next((fault.kind for fault in self.camera.faults if fault.kind in LIES and fault.start <= seconds < fault.end), None)
        for stream, rate in enumerate(self.rates):
            wall, times = time.time() + EPOCH, seconds + self.shift(seconds)
            if lie == "hour" or lie == "one stream" and stream == 0:
                wall += 3600
            elif lie == "1970":
                wall = EPOCH + seconds
            elif lie == "2036":
                wall = 2 ** 32 - 5 + seconds % 60
            elif lie == "other times":
                times += 500
            elif lie == "standing still":
                wall = EPOCH + 1_700_000_000
            elif lie == "random":
                wall += self.chance.uniform(-3000, 3000)
            ticks = self.origins[stream] + int(times * rate) & 0xFFFFFFFF
            packet = struct.pack(">BBHIIIIII", 0x80, 200, 6, self.sources[stream], int(wall) & 0xFFFFFFFF, int(wall % 1 * 2 ** 32), ticks, 0, 0)
            self.interleave(self.channels.get(stream), packet, 1)

    def interleave(self, channel, packet, control=0):
        if channel is not None:
            self.connection.sendall(struct.pack(">BBH", 0x24, channel + control, len(packet)) + packet)

    # RTSP

    def read(self, seconds):
        if not select.select([self.connection], [], [], seconds)[0]:
            return
        data = self.connection.recv(65536)
        self.received += data
        self.ended |= not data
        while self.received:
            if self.received[:1] == b"$":
                if len(self.received) < 4 or len(self.received) < 4 + int.from_bytes(self.received[2:4], "big"):
                    return
                self.received = self.received[4 + int.from_bytes(self.received[2:4], "big"):]
                continue
            head, end, rest = self.received.partition(b"\r\n\r\n")
            if not end:
                return
            lines = head.decode("latin1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
            length = int(headers.get("content-length", 0))
            if len(rest) < length:
                return
            self.received = rest[length:]
            self.answer(*lines[0].split()[:2], headers)

    def answer(self, method, url, headers):
        more, body = ["Session: 77;timeout=60"], ""
        if method == "OPTIONS":
            more = ["Public: OPTIONS, DESCRIBE, SETUP, PLAY, GET_PARAMETER, TEARDOWN"]
        elif method == "DESCRIBE":
            sets = ",".join(base64.b64encode(one).decode() for one in self.camera.sets)
            lines = ["v=0", "o=- 1 1 IN IP4 127.0.0.1", "s=sync", "c=IN IP4 0.0.0.0", "t=0 0", "a=control:*", "m=video 0 RTP/AVP 96",
                     f"a=rtpmap:96 H264/{CLOCK}", f"a=fmtp:96 packetization-mode=1;sprop-parameter-sets={sets}", "a=control:0",
                     "m=audio 0 RTP/AVP 97", *self.camera.audio.description, "a=control:1", ""]
            body = "\r\n".join(lines)
            more = [f"Content-Base: {url}/", "Content-Type: application/sdp", f"Content-Length: {len(body)}"]
        elif method == "SETUP":
            stream = int(url.rstrip("/").rsplit("/", 1)[1])
            asked = headers.get("transport", "")
            channel = int(asked.split("interleaved=")[1].split("-")[0]) if "interleaved=" in asked else 2 * stream
            self.channels[stream] = channel
            more.append(f"Transport: RTP/AVP/TCP;unicast;interleaved={channel}-{channel + 1}")
        elif method == "PLAY":
            self.plays = True
        self.connection.sendall("\r\n".join(["RTSP/1.0 200 OK", f"CSeq: {headers.get('cseq', 0)}", *more, "", body]).encode())
        self.ended |= method == "TEARDOWN"

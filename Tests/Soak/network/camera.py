"""A camera that sends H.264 by RTSP over a network with faults, and remembers what it sent.

Each frame has its number in a SEI message, so that it is found again in a movie. Frame N is due N frame intervals after the camera
began, whether it is received or not.
"""
import base64
import heapq
import random
import select
import socket
import struct
import subprocess
import threading
import time

from .faults import ANSWERS, ENDING

RATE = 25
CLOCK = 90_000
PAYLOAD = 400  # bytes: small, so that each frame has several packets
MARK = b"recorder soak 01"  # the UUID of the SEI messages


def access_units(data):
    """Splits H.264 with delimiters: for each frame its NAL units, without parameter sets, and the two parameter sets."""
    frames, sets = [], {}
    for unit in data.replace(b"\0\0\0\1", b"\0\0\1").split(b"\0\0\1")[1:]:
        kind = unit[0] & 0x1F
        if kind == 9:
            frames.append([])
        elif kind in (7, 8):
            sets[kind] = unit
        elif kind != 6:
            frames[-1].append(unit)
    return frames, [sets[7], sets[8]]


def clip(gop=RATE):
    """Ten seconds with a keyframe every `gop` frames: for each frame its NAL units, without parameter sets, and the two sets."""
    data = subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"testsrc2=size=320x240:rate={RATE}:duration=10", "-c:v", "libx264",
         "-profile:v", "baseline", "-preset", "veryfast", "-b:v", "500k", "-g", str(gop), "-x264-params",
         "scenecut=0:slices=2:ref=1:aud=1:threads=1", "-f", "h264", "-"], stdout=subprocess.PIPE, check=True).stdout
    return access_units(data)


def marked(units, number):
    """The units of a frame, with its number. Hexadecimal digits need no emulation prevention."""
    return [b"\6\5\x20" + MARK + b"%016x" % number + b"\x80", *units]


def number_of(unit):
    """The number in a SEI message; None for another unit."""
    return int(unit[19:35], 16) if unit[:19] == b"\6\5\x20" + MARK else None


def payloads(units):
    """The payloads of a frame's packets (RFC 6184, single units and FU-A)."""
    for unit in units:
        if len(unit) <= PAYLOAD:
            yield unit
            continue
        parts = [unit[at:at + PAYLOAD] for at in range(1, len(unit), PAYLOAD)]
        for index, part in enumerate(parts):
            edges = 0x80 * (index == 0) | 0x40 * (index == len(parts) - 1)
            yield bytes([unit[0] & 0xE0 | 28, unit[0] & 0x1F | edges]) + part


class Ended(Exception):
    """The connection is over."""


class Camera(threading.Thread):
    """Serves one connection at a time."""

    def __init__(self, transport, faults, seed, frames, sets):
        super().__init__(daemon=True)
        self.transport, self.faults, self.frames, self.sets = transport, list(faults), frames, sets
        self.chance = random.Random(f"{seed} {transport} packets")
        self.listener = None
        self.listen(0)
        self.port = self.listener.getsockname()[1]
        self.datagrams = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
        for one in self.datagrams:
            one.bind(("127.0.0.1", 0))
        self.began = time.monotonic()
        self.stopping = threading.Event()
        self.answers = []  # kinds of faults for the next connections
        self.active = None  # a fault that lasts, and when it ends
        self.faults_begin = None  # seconds; None before the first frame was sent
        # For each frame that was sent: the number of the session, and whether the network delivered all of it.
        self.sent, self.sessions, self.log = {}, 0, []
        # Frames that the receiver may lose together with the connection.
        self.excused = set()
        self.problem = None
        self.boot()

    @property
    def url(self):
        return f"rtsp://127.0.0.1:{self.port}/soak"

    def seconds(self):
        return time.monotonic() - self.began

    def listen(self, port):
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(("127.0.0.1", port))
        self.listener.listen(8)
        self.listener.settimeout(0.1)

    def boot(self):
        self.source, self.origin, self.sequence = (self.chance.getrandbits(32) for _ in range(3))

    def stop(self):
        self.stopping.set()
        self.join(30)

    def run(self):
        try:
            while not self.stopping.is_set():
                self.begin_faults(None)
                try:
                    connection, _ = self.listener.accept()
                except TimeoutError:
                    continue
                try:
                    self.serve(connection)
                except (Ended, OSError):
                    pass
                finally:
                    connection.close()
        except Exception as error:  # a defect of this program
            self.problem = repr(error)
            raise

    # RTSP

    def serve(self, connection):
        connection.settimeout(5)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.connection, self.received, self.target, self.queue = connection, b"", None, []
        fault = self.answers.pop(0) if self.answers else None
        self.plays = False
        self.queue_number = 0
        while not self.plays:
            if self.stopping.is_set():
                raise Ended
            self.begin_faults(connection)
            self.read(0.1, fault)
        self.sessions += 1
        if self.faults_begin is None:
            self.faults_begin = self.seconds()
        number = int(self.seconds() * RATE) + 1
        reported = -10.0
        while not self.stopping.is_set():
            self.begin_faults(connection)
            if self.seconds() - reported > 2:
                reported = self.seconds()
                self.report()
            while number / RATE <= self.seconds():
                self.send(number)
                number += 1
            self.flush()
            due = min([number / RATE] + [entry[0] for entry in self.queue[:1]])
            self.read(min(0.05, max(0.001, due - self.seconds())), None)

    def read(self, seconds, fault):
        if not select.select([self.connection], [], [], seconds)[0]:
            return
        data = self.connection.recv(65536)
        if not data:
            raise Ended
        self.received += data
        while self.received:
            if self.received[:1] == b"$":
                if len(self.received) < 4 or len(self.received) < 4 + struct.unpack(">H", self.received[2:4])[0]:
                    return
                self.received = self.received[4 + struct.unpack(">H", self.received[2:4])[0]:]
                continue
            if b"\r\n\r\n" not in self.received:
                return
            head, _, self.received = self.received.partition(b"\r\n\r\n")
            self.answer(head.decode("latin1").split("\r\n"), fault)

    def answer(self, lines, fault):
        method, url = lines[0].split()[:2]
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        status, more, body = "200 OK", [], ""
        if method == "OPTIONS":
            more = ["Public: OPTIONS, DESCRIBE, SETUP, PLAY, GET_PARAMETER, TEARDOWN"]
        elif method == "DESCRIBE":
            sets = ",".join(base64.b64encode(one).decode() for one in self.sets)
            body = ("v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=soak\r\nt=0 0\r\na=control:*\r\nm=video 0 RTP/AVP 96\r\n"
                    f"a=rtpmap:96 H264/{CLOCK}\r\na=fmtp:96 packetization-mode=1;sprop-parameter-sets={sets}\r\na=control:video\r\n")
            more = [f"Content-Base: {url}/", "Content-Type: application/sdp", f"Content-Length: {len(body)}"]
        elif method == "SETUP":
            asked = headers.get("transport", "")
            if "client_port=" in asked:
                first = int(asked.split("client_port=")[1].split("-")[0].split(";")[0])
                self.target = [("127.0.0.1", first), ("127.0.0.1", first + 1)]
                ports = "-".join(str(one.getsockname()[1]) for one in self.datagrams)
                more = [f"Transport: RTP/AVP;unicast;client_port={first}-{first + 1};server_port={ports}"]
            else:
                more = ["Transport: RTP/AVP/TCP;unicast;interleaved=0-1"]
            more.append("Session: 77;timeout=60")
        elif method == "PLAY":
            self.plays = True
        if fault == "refusal" and method == "DESCRIBE":
            status, more, body = "503 Service Unavailable", [], ""
        text = "\r\n".join([f"RTSP/1.0 {status}", f"CSeq: {headers.get('cseq', 0)}", *more, "", body]).encode()
        if fault == "nonsense" and method == "DESCRIBE":
            text = self.chance.randbytes(3000)
        if fault == "half-answer" and method == "DESCRIBE":
            self.connection.sendall(text[:len(text) // 2])
            raise Ended
        if fault == "silent-answer" and method == "DESCRIBE":
            # The receiver must give up.
            deadline = self.seconds() + 20
            while self.seconds() < deadline and not self.stopping.is_set():
                if select.select([self.connection], [], [], 0.1)[0] and not self.connection.recv(4096):
                    break
            raise Ended
        self.connection.sendall(text)
        if method == "TEARDOWN":
            raise Ended

    # Faults

    def begin_faults(self, connection):
        while self.faults and self.faults_begin is not None and self.faults[0].start <= self.seconds() - self.faults_begin:
            fault = self.faults.pop(0)
            self.log.append((self.seconds(), fault.kind, fault.seconds))
            if fault.kind in ANSWERS:
                self.answers = [fault.kind] * (1 + int(fault.strength * 2))
            if fault.kind == "reboot":
                self.listener.close()
            if fault.kind in ENDING and connection:
                self.excuse()
            if fault.kind == "garbage" and connection and self.plays:
                connection.sendall(self.chance.randbytes(1 + int(fault.strength * 4000)))
                continue
            if fault.kind == "half-packet" and connection and self.plays:
                connection.sendall(b"$\0\4\0" + self.chance.randbytes(100))
                raise Ended
            if fault.kind in ("pause", "silence") or fault.kind not in ENDING:
                self.active = (fault, self.seconds() + fault.seconds)
                continue
            if connection:
                # The kernel sends a reset, and discards what was not sent.
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                connection.close()
            if fault.kind == "reboot":
                self.boot()
                self.stopping.wait(fault.seconds)
                self.listen(self.port)
            if connection:
                raise Ended
        if self.active and self.seconds() > self.active[1]:
            self.active = None

    def excuse(self):
        """What was sent in the last second and in the next three may be lost with the connection."""
        now = int(self.seconds() * RATE)
        self.excused.update(range(now - RATE, now + 3 * RATE))

    # Packets

    def send(self, number):
        units = marked(self.frames[number % len(self.frames)], number)
        parts = list(payloads(units))
        fault, until = self.active or (None, 0)
        kind = fault.kind if fault and self.seconds() < until else None
        complete = True
        for index, part in enumerate(parts):
            header = struct.pack(">BBHII", 0x80, 96 | 0x80 * (index == len(parts) - 1), self.sequence & 0xFFFF,
                                 self.origin + number * CLOCK // RATE & 0xFFFFFFFF, self.source)
            self.sequence += 1
            if self.target:
                complete &= self.send_datagram(header + part, kind, fault.strength if fault else 0)
            elif kind in ("pause", "silence"):
                complete = False
            else:
                self.connection.sendall(struct.pack(">BBH", 0x24, 0, len(header + part)) + header + part)
        self.sent[number] = (self.sessions, complete)

    def send_datagram(self, packet, kind, strength):
        """Returns whether the network delivers it."""
        now, chance = self.seconds(), self.chance
        if kind == "burst" or kind in ("loss", "all") and chance.random() < 0.01 + 0.2 * strength:
            return False
        delay = 0.0
        if kind in ("jitter", "all"):
            delay = chance.uniform(0, 0.08)
        if kind == "reorder" and chance.random() < 0.2:
            delay = 0.03
        copies = 2 if kind in ("duplicate", "all") and chance.random() < 0.3 else 1
        for copy in range(copies):
            self.queue_number += 1
            heapq.heappush(self.queue, (now + delay + 0.01 * copy, self.queue_number, packet))
        return True

    def flush(self):
        while self.queue and self.queue[0][0] <= self.seconds():
            due, _, packet = heapq.heappop(self.queue)
            self.datagrams[0].sendto(packet, self.target[0])
            # This program got no processor: later than the recorder waits.
            if self.seconds() - due > 0.05:
                self.excuse()

    def report(self):
        now = time.time() + 2_208_988_800
        ticks = self.origin + int(self.seconds() * CLOCK) & 0xFFFFFFFF
        packet = struct.pack(">BBHIIIIII", 0x80, 200, 6, self.source, int(now), int(now % 1 * 2 ** 32), ticks, 0, 0)
        if self.target:
            self.datagrams[1].sendto(packet, self.target[1])
        else:
            self.connection.sendall(struct.pack(">BBH", 0x24, 1, len(packet)) + packet)

"""Many viewers in one process; usage: viewers.py SOCKET COOKIE NAME=COUNT… (NAME:sub=COUNT for the sub-stream)

Each opens `/api/watch` for one recorder, reads and discards all data, until standard input ends. The first viewer of each
recorder also parses the data. A line on standard output reports that all have received their first video or audio. At the end
comes one JSON object. It has for each name: `viewers`, `ended` (connections that the server ended), `bytes` (the minimum and the
maximum per viewer), `pieces` and `missing` (fragments that the first viewer received, and that are missing by their sequence
numbers), and `unavailable` (number of messages that the stream is unavailable).
"""
import json
import select
import socket
import sys

BUFFER = bytearray(1 << 18)
HEAD, MEDIA, UNAVAILABLE = 3, 4, 5


class Viewer:
    """A connection that only counts bytes."""

    def __init__(self, path: str, cookie: str, name: str):
        self.name, self.bytes, self.has_ended = name, 0, False
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        recorder, _, stream = name.partition(":")
        wanted = "small" if stream == "sub" else "recorders"
        self.socket.sendall(f"GET /api/watch?{wanted}={recorder} HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\n\r\n".encode())
        self.socket.setblocking(False)

    def take(self, count: int):
        self.bytes += count

    # This is more than the hello and the states: a stream has begun.
    @property
    def sees(self) -> bool:
        return self.bytes > 10_000


class Reader(Viewer):
    """A connection that parses its data."""

    def __init__(self, *words: str):
        super().__init__(*words)
        self.raw, self.body, self.chunk, self.is_in_body = bytearray(), bytearray(), 0, False
        self.pieces = self.missing = self.unavailable = 0
        self.last: int | None = None

    def take(self, count: int):
        super().take(count)
        self.raw += BUFFER[:count]
        if not self.is_in_body:
            end = self.raw.find(b"\r\n\r\n")
            if end < 0:
                return
            if not self.raw.startswith(b"HTTP/1.1 200"):
                sys.exit(f"cannot watch {self.name}: {bytes(self.raw[:end])!r}")
            del self.raw[:end + 4]
            self.is_in_body = True
        self.unchunk()
        self.unpack()

    def unchunk(self):
        """Decodes chunks (RFC 9112, 7.1)."""
        while self.raw:
            if self.chunk > 2:
                part = self.raw[:self.chunk - 2]
                self.body += part
                self.chunk -= len(part)
                del self.raw[:len(part)]
            elif self.chunk > 0:
                ends = self.raw[:self.chunk]
                self.chunk -= len(ends)
                del self.raw[:len(ends)]
            else:
                end = self.raw.find(b"\r\n")
                if end < 0:
                    return
                self.chunk = int(self.raw[:end], 16) + 2
                del self.raw[:end + 2]

    def unpack(self):
        """Parses messages (docs/reference/web-openapi.yaml, /api/watch)."""
        place = 0
        while len(self.body) - place >= 8:
            length, kind = int.from_bytes(self.body[place:place + 4], "big"), self.body[place + 4]
            if len(self.body) - place < 8 + length:
                break
            if kind == HEAD:
                self.last = None
            elif kind == MEDIA:
                self.count(self.body[place + 8:place + 8 + length])
            elif kind == UNAVAILABLE:
                self.unavailable += 1
            place += 8 + length
        del self.body[:place]

    def count(self, piece: bytearray):
        """Counts fragments by their sequence numbers (mfhd, ISO/IEC 14496-12, 8.8.5)."""
        at = piece.find(b"mfhd")
        number = int.from_bytes(piece[at + 8:at + 12], "big")
        if self.last is not None:
            self.missing += number - self.last - 1
        self.last = number
        self.pieces += 1


def main():
    path, cookie, *wanted = sys.argv[1:]
    viewers: list[Viewer] = []
    for word in wanted:
        name, count = word.split("=")
        viewers += [(Viewer if number else Reader)(path, cookie, name) for number in range(int(count))]
    poll, is_ready = select.epoll(), False
    by_file = {viewer.socket.fileno(): viewer for viewer in viewers}
    for file in by_file:
        poll.register(file, select.EPOLLIN)
    poll.register(sys.stdin.fileno(), select.EPOLLIN | select.EPOLLHUP)
    while True:
        for file, _ in poll.poll():
            if file == sys.stdin.fileno():
                return tell(viewers)
            viewer = by_file[file]
            try:
                count = viewer.socket.recv_into(BUFFER)
            except BlockingIOError:
                continue
            except ConnectionResetError:
                count = 0
            if count == 0:
                viewer.has_ended = True
                poll.unregister(file)
            viewer.take(count)
        if not is_ready and all(viewer.sees for viewer in viewers):
            is_ready = True
            print("all see", flush=True)


def tell(viewers: list[Viewer]):
    found = {}
    for name in dict.fromkeys(viewer.name for viewer in viewers):
        own = [viewer for viewer in viewers if viewer.name == name]
        first = own[0]
        found[name] = {
            "viewers": len(own), "ended": sum(viewer.has_ended for viewer in own),
            "bytes": [min(viewer.bytes for viewer in own), max(viewer.bytes for viewer in own)],
            "pieces": first.pieces, "missing": first.missing, "unavailable": first.unavailable}
    print(json.dumps(found), flush=True)


main()

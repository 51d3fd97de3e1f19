"""Forwards a port on loopback to Unix sockets, with one request per connection.

An endless stream is cut after a moment: it is requested with HTTP/1.0, whose answers end with their connection. If a server ends
during a request, such as a recorder that is stopped, the request is repeated when the server is back.
"""
import socket
import socketserver
import threading
import time

STREAMS = ("/v1/levels", "/v1/live", "/api/watch")
MOMENT = 0.3  # seconds of a stream
PATIENCE = 20  # maximum seconds until a server is back


class Proxy:
    """A context manager that forwards requests.

    `sockets` maps path prefixes to sockets; the longest prefix counts."""

    def __init__(self, sockets: dict[str, str]):
        class Handler(socketserver.BaseRequestHandler):
            def handle(handler):
                relay(handler.request, sockets)

        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address = daemon_threads = True
            request_queue_size = 128

            def handle_error(self, *_):
                """Ignores clients that have disconnected."""

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def relay(client: socket.socket, sockets: dict[str, str]):
    client.settimeout(60)
    head, body = request(client)
    if not head:
        return
    line, rest = head.split(b"\r\n", 1)
    method, target = line.decode("latin-1").split(" ")[:2]
    path = target.split("?")[0]
    is_stream = method == "GET" and path in STREAMS
    if is_stream:
        line = line.replace(b"HTTP/1.1", b"HTTP/1.0")
    lines = [field for field in rest.split(b"\r\n") if not field.lower().startswith(b"connection:")]
    message = b"\r\n".join([line, b"Connection: close", *lines]) + body
    place = sockets[max((beginning for beginning in sockets if path.startswith(beginning)), key=len, default="")]
    end = time.monotonic() + PATIENCE
    while not answered(client, place, message, is_stream) and time.monotonic() < end:
        time.sleep(0.2)


def request(client: socket.socket) -> tuple[bytes, bytes]:
    """Returns the head with its empty line, and the body as received."""
    data = b""
    while b"\r\n\r\n" not in data:
        part = client.recv(1 << 16)
        if not part:
            return b"", b""
        data += part
    head, body = data.split(b"\r\n\r\n", 1)
    fields = dict(field.lower().split(b":", 1) for field in head.split(b"\r\n")[1:] if b":" in field)
    length = int(fields.get(b"content-length", b"0"))
    is_chunked = b"chunked" in fields.get(b"transfer-encoding", b"")
    while len(body) < length or is_chunked and not body.endswith(b"0\r\n\r\n"):
        part = client.recv(1 << 16)
        if not part:
            break
        body += part
    return head + b"\r\n\r\n", body


def answered(client: socket.socket, place: str, message: bytes, is_stream: bool) -> bool:
    """Forwards the request. Returns true if the server answered."""
    with socket.socket(socket.AF_UNIX) as server:
        server.settimeout(60)
        try:
            server.connect(place)
            server.sendall(message)
            part = server.recv(1 << 16)
        except OSError:
            return False
        if not part:
            return False
        # The client must not wait for another answer on this connection.
        if b"connection: close" not in part.split(b"\r\n\r\n", 1)[0].lower():
            part = part.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)
        end = time.monotonic() + MOMENT
        while part:
            client.sendall(part)
            if is_stream:
                server.settimeout(max(0.001, end - time.monotonic()))
            try:
                part = server.recv(1 << 16)
            except (TimeoutError, ConnectionResetError):
                break
            if is_stream and time.monotonic() > end:
                break
        client.shutdown(socket.SHUT_WR)
        return True

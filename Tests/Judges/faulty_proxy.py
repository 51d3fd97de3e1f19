"""A proxy before a file server: fails as requested, and writes down what was sent completely.

  faulty_proxy.py PORT TARGET-PORT FAULT-FILE SENT-FILE

FAULT-FILE holds one word: ok, 401, 507, slow, or 500:N (each Nth request). SENT-FILE gets a line for each upload that the
server took as a whole: method, path and bytes.
"""

import http.client
import http.server
import itertools
import sys
import threading
import time

PORT, TARGET, FAULT, SENT = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
numbers = itertools.count(1)
writing = threading.Lock()


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def forward(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with open(FAULT, encoding="utf-8") as file:
            fault = file.read().strip()
        if fault.startswith("500:"):
            fault = "500" if next(numbers) % int(fault[4:]) == 0 else "ok"
        if fault in ("401", "500") or fault == "507" and self.command == "PUT":
            return self.answer(int(fault), [], b"")
        if fault == "slow":
            time.sleep(0.2 + len(body) / 50_000)
        connection = http.client.HTTPConnection("127.0.0.1", TARGET)
        connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            if name.lower() not in ("connection", "expect"):
                connection.putheader(name, value)
        connection.endheaders(body or None)
        reply = connection.getresponse()
        content = reply.read()
        if self.command == "PUT" and reply.status < 300:
            with writing, open(SENT, "a", encoding="utf-8") as file:
                file.write(f"{self.command} {self.path.split('?')[0]} {len(body)}\n")
        self.answer(reply.status, reply.getheaders(), content)
        connection.close()

    def answer(self, status, headers, content):
        self.send_response_only(status)
        length = None
        for name, value in headers:
            if name.lower() == "content-length":
                length = value
            elif name.lower() not in ("connection", "transfer-encoding"):
                self.send_header(name, value)
        # The answer to HEAD says how long the file is, and has none of it.
        self.send_header("Content-Length", length if length and self.command == "HEAD" else str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = do_OPTIONS = forward
    do_PROPFIND = do_MKCOL = do_MOVE = do_COPY = do_PROPPATCH = forward


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_):
        pass  # Who was killed does not read the answer.


Server(("127.0.0.1", PORT), Proxy).serve_forever()

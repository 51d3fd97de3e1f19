#!/usr/bin/env python3
"""Plays movies in a headless Chromium, and prints what was seen as one JSON object for each, in a line of its own.

usage: plays.py DIRECTORY NAME…

Serves DIRECTORY to the browser alone. Keys: name, width and height of the video, duration, advanced (seconds by which it
advanced), took (seconds that this lasted), end (where it stood after it was sent to a second before its end and had played
on), error (what the element says; null: nothing), caught (of the console). Exits 1 when something that was waited for did
not come.
"""
import functools, http.server, json, os, re, sys, threading, time

from browsers import Chromium, Late, wait

PAGE = b"<!doctype html><title>plays</title><link rel=icon href='data:,'><video muted playsinline></video>"
STATE = """const v = document.querySelector('video'); return {width: v.videoWidth, height: v.videoHeight, at: v.currentTime,
    duration: v.duration, ready: v.readyState, seeking: v.seeking, ended: v.ended, error: v.error && v.error.message}"""


class Files(http.server.SimpleHTTPRequestHandler):
    """Parts of files too, without which a browser does not jump in a movie."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_): pass

    def do_GET(self):
        if self.path == "/": return self.answer(200, "text/html", PAGE)
        try:
            file = open(self.translate_path(self.path), "rb")
        except OSError:
            return self.send_error(404)
        with file:
            size = os.fstat(file.fileno()).st_size
            asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
            first = int(asked[1]) if asked else 0
            last = min(int(asked[2]) if asked and asked[2] else size - 1, size - 1)
            file.seek(first)
            part = {"Content-Range": f"bytes {first}-{last}/{size}"} if asked else {}
            self.answer(206 if asked else 200, "video/mp4", file.read(last - first + 1), part)

    def answer(self, status, kind, body, fields={}):
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": len(body), "Accept-Ranges": "bytes", **fields}.items():
            self.send_header(name, str(value))
        self.end_headers()
        try: self.wfile.write(body)
        except OSError: pass


def play(browser, address, name):
    def state():
        seen = browser.run(STATE)
        if seen["error"]: raise Late(f"{name}: {seen['error']}")
        return seen
    browser.go(address)
    browser.run(f"const v = document.querySelector('video'); v.src = {json.dumps(name)}; v.play()")
    begun = wait(f"{name} plays", 60, lambda: (s := state()) and s["ready"] >= 3 and s["at"] > 0 and s)
    start = time.monotonic()
    on = wait(f"{name} continues", 60, lambda: (s := state()) and (s["at"] - begun["at"] > 0.5 or s["ended"]) and s)
    took = time.monotonic() - start
    target = max(0, begun["duration"] - 1)
    browser.run(f"const v = document.querySelector('video'); v.currentTime = {target}; v.play()")
    last = wait(f"{name} plays near its end", 60, lambda: (s := state()) and not s["seeking"] and s["at"] > target + 0.3 and s)
    return {
        "name": name, "width": last["width"], "height": last["height"], "duration": last["duration"],
        "advanced": on["at"] - begun["at"], "took": took, "end": last["at"], "error": last["error"],
        "caught": browser.errors()}


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=sys.argv[1]))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser = Chromium()
    try:
        for name in sys.argv[2:]:
            print(json.dumps(play(browser, f"http://127.0.0.1:{server.server_port}/", name)), flush=True)
    except Late as late:
        print(f"did not come: {late}", file=sys.stderr)
        sys.exit(1)
    finally:
        browser.end()


main()

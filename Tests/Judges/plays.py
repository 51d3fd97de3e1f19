#!/usr/bin/env python3
"""Plays movies in a headless Chromium, and prints what was seen as one JSON object for each, in a line of its own.

usage: plays.py DIRECTORY NAME…

Serves DIRECTORY to the browser alone. Keys: name, width and height of the picture, duration, advanced (seconds by which it
went on), took (seconds that this lasted), end (where it stood after it was sent to a second before its end and had played
on), error (what the element says; null: nothing), caught (of the console). Exits 1 when something that was waited for did
not come.
"""
import functools, http.server, json, os, re, sys, threading, time

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


class Late(Exception): pass


def wait(what, seconds, condition):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found: return found
        time.sleep(0.05)
    raise Late(what)


def play(driver, address, name):
    def state():
        seen = driver.execute_script(STATE)
        if seen["error"]: raise Late(f"{name}: {seen['error']}")
        return seen
    driver.get(address)
    driver.execute_script("document.querySelector('video').src = arguments[0]; document.querySelector('video').play()", name)
    begun = wait(f"{name} plays", 30, lambda: (s := state()) and s["ready"] >= 3 and s["at"] > 0 and s)
    start = time.monotonic()
    on = wait(f"{name} goes on", 30, lambda: (s := state()) and (s["at"] - begun["at"] > 0.5 or s["ended"]) and s)
    took = time.monotonic() - start
    target = max(0, begun["duration"] - 1)
    driver.execute_script("const v = document.querySelector('video'); v.currentTime = arguments[0]; v.play()", target)
    last = wait(f"{name} plays near its end", 30, lambda: (s := state()) and not s["seeking"] and s["at"] > target + 0.3 and s)
    return {
        "name": name, "width": last["width"], "height": last["height"], "duration": last["duration"],
        "advanced": on["at"] - begun["at"], "took": took, "end": last["at"], "error": last["error"],
        "caught": [line["message"] for line in driver.get_log("browser") if line["level"] == "SEVERE"]}


def main():
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=sys.argv[1]))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    options = webdriver.ChromeOptions()
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--autoplay-policy=no-user-gesture-required"): options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    try:
        for name in sys.argv[2:]:
            print(json.dumps(play(driver, f"http://127.0.0.1:{server.server_port}/", name)), flush=True)
    except Late as late:
        print(f"did not come: {late}", file=sys.stderr)
        sys.exit(1)
    finally:
        driver.quit()


main()

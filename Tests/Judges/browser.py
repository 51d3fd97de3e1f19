#!/usr/bin/env python3
"""Opens a movie, or an HLS playlist with the files beside it, in a headless Chromium's <video> and prints what the
browser makes of it as one JSON object.

usage: browser.py MOVIE [SECONDS]

Keys: duration, width, height, error, seekedTo (the media time of the frame shown after a seek to SECONDS, default the
middle), seekedPixel (red, green, blue at the centre of that frame), frames (counted while playing through, with audio
muted), warnings (what the browser printed about media). Exits 1 when the movie does not play.
"""
import http.server, json, os, re, shutil, subprocess, sys, tempfile, threading, urllib.parse

TYPES = {".mov": "video/quicktime", ".m3u8": "application/vnd.apple.mpegurl"}

PAGE = """<!doctype html><video id=v muted preload=auto src="%s"></video><script>
const v = document.getElementById('v'), SEEK = %s;
const send = r => fetch('/result', {method: 'POST', body: JSON.stringify(r)});
const on = n => new Promise(r => v.addEventListener(n, r, {once: true}));
const frame = () => new Promise(r => v.requestVideoFrameCallback((_, m) => r(m)));
v.addEventListener('error', () => send({error: v.error.message}));
const pause = ms => new Promise(r => setTimeout(r, ms));
(async () => {
  // The first frame's own callback must have come before the seek, or it answers for it on a slow machine.
  const first = frame();
  await on('loadeddata');
  await Promise.race([first, pause(5000)]);
  const r = {duration: v.duration, width: v.videoWidth, height: v.videoHeight};
  const shown = frame();
  v.currentTime = SEEK < 0 ? v.duration / 2 : SEEK;
  await on('seeked');
  r.seekedTo = (await shown).mediaTime;
  const c = document.createElement('canvas'); c.width = v.videoWidth; c.height = v.videoHeight;
  const x = c.getContext('2d'); x.drawImage(v, 0, 0);
  r.seekedPixel = Array.from(x.getImageData(c.width >> 1, c.height >> 1, 1, 1).data).slice(0, 3);
  const back = frame(); v.currentTime = 0; await on('seeked'); await back;
  v.playbackRate = 4; v.play(); await on('ended');
  const q = v.getVideoPlaybackQuality(); r.framesPlayed = q.totalVideoFrames; r.endedAt = v.currentTime;
  send(r);
})();
</script>"""


def main():
    movie, seek = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else -1
    directory, name = os.path.split(os.path.abspath(movie))
    page = (PAGE % (urllib.parse.quote(f"/media/{name}"), seek)).encode()
    done, answer = threading.Event(), {}

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_): pass

        def do_GET(self):
            wanted = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
            path = os.path.join(directory, os.path.basename(wanted))
            if not wanted.startswith("/media/") or not os.path.isfile(path):
                body = page if wanted == "/" else b""
                self.send_response(200 if body else 404)
                self.send_header("Content-Type", "text/html"); self.send_header("Content-Length", str(len(body)))
                self.end_headers(); self.wfile.write(body); return
            size = os.path.getsize(path)
            match = re.match(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
            first = int(match[1]) if match else 0
            last = min(int(match[2]) if match and match[2] else size - 1, size - 1)
            self.send_response(206 if match else 200)
            self.send_header("Content-Type", TYPES.get(os.path.splitext(path)[1], "video/mp4"))
            self.send_header("Accept-Ranges", "bytes")
            if match: self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
            self.send_header("Content-Length", str(last - first + 1)); self.end_headers()
            with open(path, "rb") as file:
                file.seek(first)
                try: shutil.copyfileobj(_Limited(file, last - first + 1), self.wfile)
                except (BrokenPipeError, ConnectionResetError): pass

        def do_POST(self):
            answer.update(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204); self.end_headers(); done.set()

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    profile = tempfile.mkdtemp(prefix="browser-judge-")
    log = open(os.path.join(profile, "log"), "w+")
    browser = subprocess.Popen(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--mute-audio", "--no-first-run",
         "--autoplay-policy=no-user-gesture-required", "--disable-background-networking", "--enable-logging=stderr",
         f"--user-data-dir={profile}", f"http://127.0.0.1:{server.server_port}/"], stderr=log, stdout=log)
    try:
        if not done.wait(float(os.environ.get("BROWSER_TIMEOUT", "90"))): answer["error"] = "the browser did not answer in time"
    finally:
        browser.terminate()
        try: browser.wait(10)
        except subprocess.TimeoutExpired: browser.kill()
        log.seek(0)
        answer["warnings"] = [line.strip() for line in log if re.search(r"media|ffmpeg|demux|decod", line, re.I)
                              and not re.search(r"gpu|vaapi|dbus|MediaRouter|media_router|BatteryMonitor|ALSA", line, re.I)]
        shutil.rmtree(profile, ignore_errors=True)
    print(json.dumps(answer))
    sys.exit(1 if answer.get("error") else 0)


class _Limited:
    def __init__(self, file, left): self.file, self.left = file, left
    def read(self, count):
        data = self.file.read(min(count, self.left)); self.left -= len(data); return data


main()

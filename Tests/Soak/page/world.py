"""Recorders with test sources and the page's server, in temporary directories."""
import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

PASSWORD = "correct horse battery staple"
# The host name in requests through the Unix socket.
HOST = "localhost"
SOURCES = ["--camera", "test", "--microphone", "test", "--size", "640x360", "--frame-rate", "30"]
HD_SOURCES = ["--camera", "test", "--microphone", "test", "--size", "1280x720", "--frame-rate", "30"]


class Connection(http.client.HTTPConnection):
    """An HTTP connection to a Unix socket."""

    def __init__(self, path: str, timeout: float = 30):
        super().__init__(HOST, timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class World:
    """A context manager: the programs started in it end with it."""

    def __init__(self, recorder: str, user: int | None = None):
        """Runs everything as `user`, so that no request reaches other files; None for the current user."""
        self.recorder = recorder
        self.web_program = os.path.join(os.path.dirname(recorder), "recorder-web")
        self.password = PASSWORD
        self.user = user
        # A short path, because the length of a socket's path is limited.
        self.place = tempfile.mkdtemp(prefix="page.", dir="/tmp")
        names = {"HOME": "home", "XDG_STATE_HOME": "state", "XDG_CONFIG_HOME": "configuration", "XDG_RUNTIME_DIR": "run"}
        for name in names.values():
            os.mkdir(self.path(name), 0o700)
            self.own(self.path(name))
        self.own(self.place)
        self.environment = {**os.environ, **{key: self.path(name) for key, name in names.items()}}
        self.web: subprocess.Popen | None = None
        self.running: list[str] = []
        self.cookie = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.web:
            self.web.terminate()
            self.web.wait()
        for name in self.running:
            subprocess.run(self.words(self.recorder, "stop", name, "--disarm"), env=self.environment, capture_output=True)
        shutil.rmtree(self.place, ignore_errors=True)

    def path(self, *names: str) -> str:
        return os.path.join(self.place, *names)

    @property
    def socket(self) -> str:
        return self.path("web")

    def own(self, path: str):
        if self.user is not None:
            os.chown(path, self.user, self.user)

    def words(self, *words: str) -> list[str]:
        """Returns a command that runs as the user."""
        return [*words] if self.user is None else [
            "setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups", *words]

    def run(self, *words: str, text: str | None = None) -> str:
        done = subprocess.run(self.words(*words), env=self.environment, cwd=self.place, input=text, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(words)} failed with {done.returncode}:\n{done.stderr}")
        return done.stdout

    # Recorders

    def start(self, name: str, *words: str, sources: list[str] = SOURCES, output: str | None = None) -> int:
        """Starts a recording of the test sources, which runs when this returns. Returns its process ID."""
        said = self.run(
            self.recorder, "start", name, *sources, "--output", output or self.path(f"{name}.mov"), "--overwrite", "--json", *words)
        if name not in self.running:
            self.running.append(name)
        return json.loads(said)["pid"]

    def is_running(self, name: str) -> bool:
        with socket.socket(socket.AF_UNIX) as one:
            return one.connect_ex(self.path("run", "recorder", f"{name}.sock")) == 0

    def stop(self, name: str) -> dict:
        """Stops with the command. Returns its answer, with `took`: the seconds from the command's exec to its end."""
        began = time.monotonic()
        said = json.loads(self.run(self.recorder, "stop", name, "--json"))
        self.running.remove(name)
        return {**said, "took": time.monotonic() - began}

    def stop_on_page(self, name: str) -> dict:
        """Stops on the page, as an operator does. `took` is the duration of the request."""
        began = time.monotonic()
        status, said = self.ask("POST", f"/api/recorders/{name}/stop", {})
        if status != 200:
            sys.exit(f"the page could not stop {name}: {status} {said}")
        self.running.remove(name)
        return {**said, "took": time.monotonic() - began}

    def status(self, name: str) -> dict:
        return json.loads(self.run(self.recorder, "status", name, "--json"))

    def file(self, name: str) -> dict:
        """Returns the recording's own information, and its number of frames counted by ffprobe."""
        path = self.path(f"{name}.mov")
        said = json.loads(self.run(self.recorder, "info", path, "--json"))
        words = ["-v", "error", "-select_streams", "v", "-count_packets", "-show_entries", "stream=nb_read_packets", "-of", "csv=p=0"]
        return {"info": said, "frames": int(self.run("ffprobe", *words, path).split()[0].strip(","))}

    # The page's server

    def serve(self) -> subprocess.Popen:
        """Serves on a Unix socket, with an operator who is logged in."""
        state = self.path("web-state")
        self.run(self.web_program, "user", "add", "ann", "--role", "operator", "--state", state, text=PASSWORD + "\n")
        self._serve([self.web_program, "--socket", self.socket, "--state", state], "Serving at ")
        self.cookie = self.login("ann")
        return self.web

    def login(self, name: str) -> str:
        """Logs a user in and returns the cookie."""
        status, _, cookie = self.exchange("POST", "/api/login", {"user": name, "password": PASSWORD})
        if status != 200:
            sys.exit(f"{name} cannot log in: {status}")
        return cookie.split(";")[0]

    def is_serving(self) -> bool:
        return self.web is not None and self.web.poll() is None and self.ask("GET", "/api/session")[0] == 200

    def recordings(self) -> list[str]:
        """Returns the IDs of the recordings."""
        return [recording["id"] for recording in self.ask("GET", "/api/recordings")[1]["recordings"]]

    def serve_openly(self, *words: str) -> str:
        """Serves on loopback. Returns the address that a browser opens."""
        return self._serve([self.web_program, "--open", "--state", self.path("web-state"), *words], "Open this address ").split()[-1]

    def _serve(self, words: list[str], first: str) -> str:
        quiet = {key: value for key, value in self.environment.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
        self.web = subprocess.Popen(self.words(*words), env=quiet, cwd=self.place, stdout=subprocess.PIPE, text=True)
        line = self.web.stdout.readline()
        if not line.startswith(first):
            sys.exit(f"{' '.join(words)} printed {line!r}")
        return line

    def ask(self, method: str, path: str, fields: dict | None = None):
        """Sends a request as the operator. Returns the status and the answer."""
        return self.exchange(method, path, fields)[:2]

    def exchange(self, method: str, path: str, fields: dict | None = None):
        connection = Connection(self.socket)
        body = None if fields is None else json.dumps(fields)
        connection.request(method, path, body, {
            "Origin": f"http://{HOST}", "Content-Type": "application/json", "Cookie": self.cookie})
        answer = connection.getresponse()
        text, cookie = answer.read(), answer.getheader("Set-Cookie")
        connection.close()
        return answer.status, json.loads(text) if text else None, cookie


def cpu(process: int) -> float:
    """Returns the processor seconds of a process and all its threads, to the nanosecond (clock_getcpuclockid(3))."""
    return time.clock_gettime((~process << 3) | 2)


def memory(process: int) -> tuple[float, float]:
    """Returns the resident MiB of a process, and their maximum."""
    with open(f"/proc/{process}/status") as file:
        sizes = {line.split(":")[0]: line.split()[1] for line in file if line.startswith(("VmRSS", "VmHWM"))}
    return int(sizes["VmRSS"]) / 1024, int(sizes["VmHWM"]) / 1024

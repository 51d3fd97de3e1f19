import argparse
import os
import subprocess
import sys
import threading
import time

from page.world import World

from .proxy import Proxy

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
# The sources of the recorder that always runs.
SOURCES = ["--camera", "test", "--microphone", "test", "--size", "320x240", "--pre-roll", "5s"]
CHECKS = ["not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
          "response_schema_conformance", "negative_data_rejection", "positive_data_acceptance", "unsupported_method",
          "allow_header_conformance", "use_after_free", "ignored_auth"]


def main():
    parser = argparse.ArgumentParser(prog="scripts/soak api", description="Runs schemathesis with both OpenAPI descriptions.")
    parser.add_argument("--examples", type=int, default=60, help="examples of each operation; default %(default)d")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000, help="seed of all random choices; it is printed")
    parser.add_argument("--only", default="", help="run only those whose name contains this text: control, operator, viewer, anonymous")
    parser.add_argument("--without", metavar="PATTERN", help="exclude paths that match this pattern")
    parser.add_argument("--recorder", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--schemathesis", required=True, help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    print(f"from seed {wanted.seed}", flush=True)
    failed = []
    with World(wanted.recorder, user=65534 if os.getuid() == 0 else None) as world:
        os.mkdir(world.path("videos"))
        world.own(world.path("videos"))
        with Keeper(world):
            world.serve()
            world.run(world.web_program, "user", "add", "ben", "--role", "viewer", "--state", world.path("web-state"),
                      text=world.password + "\n")
            record(world)
            live, control = world.path("run", "recorder", "front.live"), world.path("run", "recorder", "front.sock")
            for name, document, sockets, secret, options in runs(world, live, control):
                if wanted.only in name and not passed(name, document, sockets, secret, options, wanted, world):
                    failed.append(name)
            if not world.is_serving():
                failed.append("the page's server ended")
    print("failed: " + ", ".join(failed) if failed else "all passed")
    sys.exit(1 if failed else 0)


def runs(world: World, live: str, control: str):
    """Yields each run: name, document, sockets, cookie and options."""
    yield "control socket", "openapi.yaml", {"": control, "/v1/live": live}, "", ["--header", "Host: recorder"]
    web = {"": world.socket}
    # A logout would end the session of the run.
    stays = ["--exclude-path", "/api/logout"]
    yield "page, an operator", "web-openapi.yaml", web, world.login("ann"), stays
    yield "page, a viewer", "web-openapi.yaml", web, world.login("ben"), stays
    yield "page, anonymous", "web-openapi.yaml", web, "", []


def record(world: World):
    """Makes some recordings, so that requests can find them."""
    for _ in range(3):
        world.ask("POST", "/api/recorders/front/record", {})
        time.sleep(2)
        world.ask("POST", "/api/recorders/front/stop", {})
    end = time.monotonic() + 30
    while not world.recordings() and time.monotonic() < end:
        time.sleep(0.1)


def passed(name: str, document: str, sockets: dict, cookie: str, options: list[str], wanted, world: World) -> bool:
    print(f"— {name}: {document}", flush=True)
    with Proxy(sockets) as proxy:
        if document.startswith("web"):
            options = [*options, "--header", f"Origin: http://127.0.0.1:{proxy.port}"]
        if wanted.without:
            options = [*options, "--exclude-path-regex", wanted.without]
        command = [wanted.schemathesis, "--config-file", settings(world, cookie), "run", os.path.join(PROJECT, "docs/reference", document),
                   "--url", f"http://127.0.0.1:{proxy.port}", "--checks", ",".join(CHECKS), "--max-examples", str(wanted.examples),
                   "--seed", str(wanted.seed), "--request-timeout", "60", "--no-color", "--suppress-health-check", "all",
                   "--continue-on-failure", "--generation-database", "none", "--warnings", "off", "--phases", "examples,coverage,fuzzing",
                   *options]
        found = subprocess.run(command, cwd=world.place, env={
            **os.environ, "SCHEMATHESIS_HOOKS": "api.hooks", "SOAK_NAMES": "front", "SOAK_RECORDINGS": ",".join(world.recordings())})
    return found.returncode == 0


def settings(world: World, cookie: str) -> str:
    """Writes a file with the common settings and the session's cookie."""
    path = world.path("schemathesis.toml")
    with open(os.path.join(os.path.dirname(__file__), "schemathesis.toml")) as common, open(path, "w") as file:
        file.write(common.read())
        if cookie:
            file.write(f"\n[auth.openapi.session]\napi_key = \"{cookie.split('=', 1)[1]}\"\n")
    return path


class Keeper:
    """Keeps a recorder running: starts it again whenever a request has ended it."""

    def __init__(self, world: World):
        self.world = world
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.keep, daemon=True)

    def __enter__(self):
        self.start()
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()

    def start(self):
        self.world.start("front", "--armed", sources=SOURCES, output=self.world.path("videos", "%H%M%S-front.mov"))

    def keep(self):
        while not self.is_over.wait(0.3):
            if not self.world.is_running("front"):
                self.start()


main()

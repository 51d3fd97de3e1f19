"""Many viewers: their cost for the page's server, and no cost for the recordings."""
import contextlib
import json
import os
import subprocess
import sys
import time

from .verdict import Verdict, load
from .world import HD_SOURCES, World, cpu, memory

STOP = 0.5  # maximum seconds until a stop is answered
SUB_STREAM = ["--substream", "320x180@5"]


def four(recorder: str, verdict: Verdict, seconds: float):
    """Four recorders with 20 viewers each."""
    with World(recorder) as world:
        names = [f"camera{number}" for number in range(1, 5)]
        web = world.serve()
        for name in names:
            world.start(name)
        watched(world, web.pid, "four", {name: 20 for name in names}, verdict, seconds)
        for name in names:
            recorded("four", name, world.stop(name), world, verdict)


def crowd(recorder: str, verdict: Verdict, seconds: float, count: int = 500):
    """One recorder with very many viewers, who stay while it stops and starts again."""
    with World(recorder) as world:
        web = world.serve()
        world.start("front")
        watching = watched(world, web.pid, "crowd", {"front": count}, verdict, seconds, leave=False)
        recorded("crowd", "front", world.stop_on_page("front"), world, verdict, by="on the page")
        world.start("front")
        time.sleep(5)
        recorded("crowd", "front", world.stop("front"), world, verdict, by="again, by the command")
        left(watching, "crowd", verdict, unavailable=True)
        verdict.say("crowd", "memory at most", memory(web.pid)[1], "MiB")


def grid(recorder: str, verdict: Verdict, seconds: float, count: int = 12):
    """Many recorders on one machine, whose sub-streams are in one grid."""
    with World(recorder) as world:
        names = [f"camera{number}" for number in range(1, count + 1)]
        web = world.serve()
        for name in names:
            world.start(name, *SUB_STREAM)
        watched(world, web.pid, "grid", {f"{name}:sub": 1 for name in names}, verdict, seconds)
        for name in names:
            recorded("grid", name, world.stop(name), world, verdict)


def small(recorder: str, verdict: Verdict, seconds: float, turns: int = 20):
    """The cost of one viewer of a sub-stream for a 720p30 recording: without and with it, in many short turns.

    A turn differs from the next by up to a tenth, more than the viewer costs."""
    with World(recorder) as world:
        web = world.serve()
        process = world.start("front", *SUB_STREAM, sources=HD_SOURCES)
        shares = []
        for turn in range(turns):
            costs = {}
            for watches in (False, True) if turn % 2 == 0 else (True, False):
                with viewers(world, {"front:sub": 1} if watches else {}):
                    time.sleep(2)
                    used = cpu(process)
                    time.sleep(min(seconds, 15))
                    costs[watches] = cpu(process) - used
            shares.append(costs[True] / costs[False])
        # The median, as the machine has other work too.
        share = sorted(shares)[turns // 2]
        verdict.say("small", "processor with one viewer of the sub-stream", share, "", "<= 1.06",
                    lowest=f"{min(shares):.3f}", highest=f"{max(shares):.3f}", load=load())
        recorded("small", "front", world.stop("front"), world, verdict)
        verdict.say("small", "memory of the server", memory(web.pid)[0], "MiB")


def look_on(world: World, counts: dict[str, int]) -> subprocess.Popen:
    """Starts viewers, and waits until each gets video."""
    watching = subprocess.Popen(
        [sys.executable, os.path.join(os.path.dirname(__file__), "viewers.py"), world.socket, world.cookie,
         *[f"{name}={count}" for name, count in counts.items()]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    if watching.stdout.readline().strip() != "all see":
        sys.exit("the viewers ended early")
    return watching


@contextlib.contextmanager
def viewers(world: World, counts: dict[str, int]):
    """Viewers that get video, until the block ends."""
    if not counts:
        yield None
        return
    watching = look_on(world, counts)
    try:
        yield watching
    finally:
        watching.communicate("")


def watched(world: World, web: int, scenario: str, counts: dict[str, int], verdict: Verdict, seconds: float, leave: bool = True):
    """Runs the viewers for some seconds and reports their cost."""
    total = sum(counts.values())
    # One request first, so that one-time allocations are not attributed to a viewer.
    world.ask("GET", "/api/recorders")
    time.sleep(1)
    idle = memory(web)[0]
    began = time.monotonic()
    watching = look_on(world, counts)
    verdict.say(scenario, "until every viewer gets video", time.monotonic() - began, "s")
    time.sleep(2)
    used, since = cpu(web), time.monotonic()
    of_viewers = cpu(watching.pid)
    time.sleep(seconds)
    took = time.monotonic() - since
    share = (cpu(web) - used) / took * 100
    resident, most = memory(web)
    verdict.say(scenario, "processor for each viewer", share / total, "%", "<= 1" if scenario == "four" else "", of_all=f"{share:.1f} %",
                viewers=total, of_all_viewers=f"{(cpu(watching.pid) - of_viewers) / took * 100:.0f} %", load=load())
    verdict.say(scenario, "memory for each viewer", (resident - idle) / total, "MiB", "<= 4", resident=f"{resident:.0f} MiB",
                without_viewers=f"{idle:.0f} MiB", at_most=f"{most:.0f} MiB")
    if leave:
        left(watching, scenario, verdict)
    return watching


def left(watching: subprocess.Popen, scenario: str, verdict: Verdict, unavailable: bool = False):
    """Ends the viewers and judges their reports."""
    found = json.loads(watching.communicate("")[0].splitlines()[-1])
    for name, seen in found.items():
        least, most = seen["bytes"]
        verdict.say(scenario, f"{name}: viewers that the server disconnected", seen["ended"], "", "== 0", least=least, most=most)
        # Each stream restarts the sequence numbers.
        verdict.say(scenario, f"{name}: fragments that a viewer missed", seen["missing"], "", "== 0", of=seen["pieces"])
        if unavailable:
            verdict.say(scenario, f"{name}: reported as unavailable", int(seen["unavailable"] > 0), "", "== 1")


def recorded(scenario: str, name: str, stopped: dict, world: World, verdict: Verdict, by: str = "by the command"):
    """Judges a recording: its stop time, losses and drop counts."""
    verdict.say(scenario, f"{name}: stop {by}", stopped["took"], "s", f"<= {STOP}")
    found = world.file(name)
    ledger = found["info"]["ledger"]
    lost = sum(sum(track["dropped"].values()) for track in ledger.values())
    gaps = sum(abs(track["captured"] - track["written"] - sum(track["dropped"].values())) for track in ledger.values())
    verdict.say(scenario, f"{name}: dropped", lost, "", "== 0", frames=found["frames"])
    verdict.say(scenario, f"{name}: missing from the drop counts", gaps + abs(ledger["video"]["written"] - found["frames"]), "", "== 0")

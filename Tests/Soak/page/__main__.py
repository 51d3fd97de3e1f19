import argparse
import json
import subprocess
import sys

from .crowds import crowd, four, grid, small
from .glass import delay
from .verdict import Verdict, load

SCENARIOS = ["four", "crowd", "grid", "small", "delay"]


def main():
    parser = argparse.ArgumentParser(prog="scripts/soak page", description="Measures the cost of many viewers of the page, and its lag.")
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help="four, crowd, grid, small, delay; all by default")
    parser.add_argument("--seconds", type=float, default=30, help="duration of four, crowd, grid, and each turn of small; default %(default)g")
    parser.add_argument("--minutes", type=float, default=1, help="duration of delay; default %(default)g")
    parser.add_argument("--viewers", type=int, default=500, help="number of viewers in crowd; default %(default)d")
    parser.add_argument("--low-latency", action="store_true", help="measure the delay only with --low-latency; default: with and without")
    parser.add_argument("--defaults", action="store_true", help="measure the delay only without --low-latency")
    parser.add_argument("--json", metavar="FILE", help="also write the measurements to this file")
    parser.add_argument("--samples", metavar="FILE", help="write every frame whose clock was read to this file, one line of JSON each")
    parser.add_argument("--recorder", required=True, help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    for name in wanted.scenarios:
        if name not in SCENARIOS:
            parser.error(f"unknown scenario \"{name}\"; choose from {', '.join(SCENARIOS)}")
    verdict = Verdict()
    version = subprocess.run([wanted.recorder, "--version"], capture_output=True, text=True).stdout.strip()
    print(f"recorder {version}, load {load()}", flush=True)
    samples = open(wanted.samples, "w") if wanted.samples else None
    tell = (lambda sample: print(json.dumps(sample), file=samples, flush=True)) if samples else (lambda _: None)
    for name in wanted.scenarios or SCENARIOS:
        if name == "four":
            four(wanted.recorder, verdict, wanted.seconds)
        elif name == "crowd":
            crowd(wanted.recorder, verdict, wanted.seconds, wanted.viewers)
        elif name == "grid":
            grid(wanted.recorder, verdict, wanted.seconds)
        elif name == "small":
            small(wanted.recorder, verdict, wanted.seconds)
        else:
            for low_latency in [False] * (not wanted.low_latency) + [True] * (not wanted.defaults):
                delay(wanted.recorder, verdict, wanted.minutes, low_latency, tell)
    if wanted.json:
        with open(wanted.json, "w") as file:
            json.dump(verdict.lines, file, indent=1)
    print(f"{len(verdict.lines)} lines, {len(verdict.missed)} missed" + "".join(f"\n  {name}" for name in verdict.missed))
    sys.exit(1 if verdict.missed else 0)


main()

import argparse
import importlib
import json
import os
import platform
import subprocess
import sys
import tempfile

from .bench import Bench

# In the order in which they run: what is short and shows most first.
GROUPS = ["live", "latency", "start", "page", "network", "pressure", "stop", "stage", "offline", "stills", "sdcard"]


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Measures the recorder side by side with FFmpeg and GStreamer.")
    parser.add_argument("--rows", default=",".join(GROUPS), help="groups, separated by commas (default: all: %(default)s)")
    parser.add_argument("--only", default="", help="run only the rows whose name contains this text")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--cameras", type=int, default=64, help="number of network cameras (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="shorter movies and recordings, to test the benchmark itself")
    parser.add_argument("--json", metavar="FILE", help="also write the table to this file, as JSON")
    parser.add_argument("--recorder", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--tools", required=True, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    groups = arguments.rows.split(",")
    for group in groups:
        if group not in GROUPS:
            parser.error(f"unknown rows \"{group}\"; use {', '.join(GROUPS)}")
    table = []
    with tempfile.TemporaryDirectory(prefix="bench.") as place:
        os.environ["BENCH_PLACE"] = place
        bench = Bench(arguments.recorder, arguments.tools, place, arguments.pairs, arguments.quick, arguments.only,
                      arguments.cameras)
        print(machine(arguments), flush=True)
        for group in groups:
            for row in importlib.import_module(f".{group}", __package__).rows(bench):
                table.append(row)
                print(row.text(), flush=True)
    missed = [row for row in table if row.met is False]
    print(f"{len(table)} rows, {len(missed)} missed" + "".join(f"\n  {row.group}: {row.name}, {row.what}" for row in missed))
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"machine": machine(arguments), "pairs": arguments.pairs, "quick": arguments.quick,
                       "rows": [row.json() for row in table]}, file, indent=1, ensure_ascii=False)
    sys.exit(1 if missed else 0)


def machine(arguments) -> str:
    first = lambda command: subprocess.run(command, capture_output=True, text=True).stdout.splitlines()[0]
    return (f"{os.cpu_count()} processors, {platform.platform()}; {first([arguments.recorder, '--version'])}; "
            f"{' '.join(first(['ffmpeg', '-version']).split()[:3])}; {arguments.pairs} pairs")


main()

"""How long a frame holds its camera's thread, and when it is on the disk."""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from typing import Iterator

from . import sources
from .bench import Bench
from .row import Row

SIZE = (1920, 1080)


def rows(bench: Bench) -> Iterator[Row]:
    """`append` is the hand-over of a frame: what the camera's thread does between taking it from the driver and waiting for
    the next one. FFmpeg has nothing like it, and syncs nothing: these rows are ours alone.
    """
    name = "1080p30 YUYV"
    if bench.wants(name):
        metrics, waits, notes = record(bench, "veryfast", 15 if bench.quick else 60)
        yield Row("latency", name, "append p99.9 ms", [quantile(metrics, 0.999)], target="< 1", notes={
            "p50 <=": quantile(metrics, 0.5), "p99 <=": quantile(metrics, 0.99),
            "longest": f"{metrics['recorder_append_latency_longest_seconds'] * 1000:.3g}", **notes})
        yield synced(name, waits, "<= 1.6", notes)
    name = "1080p30 YUYV, no look-ahead"
    if bench.wants(name):
        # The preset that has none.
        _, waits, notes = record(bench, "ultrafast", 10 if bench.quick else 30)
        yield synced(name, waits, "<= 1.2", notes)


def synced(name: str, waits: list[float], target: str, notes: dict) -> Row:
    ordered = sorted(waits)
    return Row("latency", name, "captured to synced, longest s", [ordered[-1]], target=target,
               notes={"p50": f"{ordered[len(ordered) // 2]:.2f}", **notes})


def record(bench: Bench, preset: str, seconds: int):
    """Records for this long. Returns the metrics, for each frame how many seconds after its capture it was synced, and notes."""
    clip = sources.clip(bench, *SIZE, "yuyv")
    log, output = bench.path("syncs.txt"), bench.path("latency.mov")
    with sources.Camera(bench, clip) as camera:
        environment = {**os.environ, **camera.environment, **sources.own_directories(bench), "SYNC_LOG": log}
        environment["LD_PRELOAD"] += ":" + bench.tool("sync-log.so")
        recorder = subprocess.Popen(
            [bench.recorder, "run", "latency", "--camera", camera.device, "--microphone", "none", "--size", clip.size,
             "--frame-rate", str(sources.RATE), "--pixel-format", clip.kind, "--preset", preset, "--overwrite", "--output", output],
            env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        path = os.path.join(environment["XDG_RUNTIME_DIR"], "recorder", "latency.sock")
        sources.wait_for(lambda: os.path.exists(path), "the recorder")
        time.sleep(seconds)
        metrics = read_metrics(path)
        recorder.send_signal(signal.SIGINT)
        if recorder.wait() != 0:
            sys.exit(f"the recorder failed with {recorder.returncode}")
        stream = camera.streams()[-1]
    packets = packets_of(output)
    lost = int(sum(value for key, value in metrics.items() if key.startswith("recorder_frames_dropped_total")))
    notes = {"frames": len(packets), "lost": lost + stream.lost}
    return metrics, sync_waits(packets, stream.first, log, os.stat(output).st_ino), notes


def sync_waits(packets: list[tuple[float, int]], first: int, log: str, inode: int) -> list[float]:
    """For each frame. Finalizing moves none: the finished file's places are those of the recording."""
    with open(log) as file:
        lines = [tuple(map(int, line.split())) for line in file]
    syncs = [(when, size) for when, synced_inode, size in lines if synced_inode == inode]
    waits = []
    for time_in_file, end in packets:
        moment = next((when for when, size in syncs if size >= end), None)
        if moment is None:
            sys.exit("a frame was never synced")
        waits.append((moment - first) / 1e9 - time_in_file)
    return waits


def packets_of(path: str) -> list[tuple[float, int]]:
    """Of each frame, its time since the first one and where its bytes end in the file."""
    text = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=pts_time,pos,size",
                           "-of", "json", path], capture_output=True, check=True).stdout
    found = [(float(packet["pts_time"]), int(packet["pos"]) + int(packet["size"])) for packet in json.loads(text)["packets"]]
    start = min(found)[0]
    return [(moment - start, end) for moment, end in found]


def read_metrics(path: str) -> dict[str, float]:
    """Families of the control interface, without the labels that all have; `{…}` behind the name holds the others."""
    class Connection(http.client.HTTPConnection):
        def connect(self):
            self.sock = socket.socket(socket.AF_UNIX)
            self.sock.connect(path)

    connection = Connection("recorder")
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    lines = re.findall(r'^(\w+)\{name="[^"]*",?([^}]*)\} (\S+)$', text, re.MULTILINE)
    return {name + (f"{{{labels}}}" if labels else ""): float(value) for name, labels, value in lines}


def quantile(metrics: dict[str, float], part: float) -> float:
    """In milliseconds: the end of the bucket, so that the truth is no more."""
    family = "recorder_append_latency_seconds"
    for key, count in metrics.items():
        bucket = re.fullmatch(family + r'_bucket\{le="(.*)"\}', key)
        if bucket and count >= part * metrics[family + "_count"]:
            return float(bucket[1].replace("+Inf", "inf")) * 1000
    sys.exit("the recorder reported no hand-over times")

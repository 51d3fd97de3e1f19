"""How the soaks of network cameras run the recorder and read its files."""
import json
import os
import subprocess

from . import camera


def run(*words):
    return subprocess.run(words, capture_output=True, text=True)


def environment(place):
    """The environment of a recorder that leaves nothing outside a directory."""
    return dict(os.environ, HOME=str(place), XDG_RUNTIME_DIR=str(place), XDG_STATE_HOME=str(place / "state"), TZ="UTC",
                RECORDER_SERVICE_DIRECTORY=str(place / "service"))


def info(recorder, path):
    return json.loads(run(recorder, "info", "--json", str(path)).stdout)


def end(process):
    """Ends a recorder as its user does. Returns False if it had to be killed."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return False
    return True


def frames_of(path):
    """For each packet of a movie's video: the number of the frame or None, and its NAL units without parameter sets."""
    shown = run("ffprobe", "-v", "error", "-ignore_editlist", "1", "-select_streams", "v", "-show_entries", "packet=pos,size", "-of", "json",
                path)
    found = []
    with open(path, "rb") as file:
        for packet in json.loads(shown.stdout)["packets"]:
            file.seek(int(packet["pos"]))
            units = [unit for unit in units_of(file.read(int(packet["size"]))) if unit and unit[0] & 0x1F not in (7, 8, 9)]
            found.append((camera.number_of(units[0]) if units else None, units))
    return found


def units_of(data):
    """The NAL units of a packet, each of which follows its length."""
    units, at = [], 0
    while at + 4 <= len(data):
        size = int.from_bytes(data[at:at + 4], "big")
        units.append(data[at + 4:at + 4 + size])
        at += 4 + size
    return units

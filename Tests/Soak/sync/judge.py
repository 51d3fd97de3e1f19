"""Reads a recording's flashes, beeps and frames, and compares them with the times at which the camera sent them."""
import array
import json
import statistics
import subprocess
from dataclasses import dataclass, field

from network.camera import number_of
from network.recordings import units_of

from .content import LOUD, PERIOD, PITCH, RATE, STEP

WHITE = 200
FRAME = 1 / RATE


@dataclass
class Media:
    """What one file has. Times are those of the file, in seconds."""

    frames: dict = field(default_factory=dict)  # the time of each frame, by its number
    whites: int = 0  # decoded keyframes that are white
    beeps: list = field(default_factory=list)  # time, and second in the period
    problems: list = field(default_factory=list)


def output_of(*words):
    return subprocess.run(words, capture_output=True, text=True).stdout


def read(path):
    media = Media()
    read_frames(path, media)
    read_beeps(path, media)
    return media


def read_frames(path, media):
    shown = json.loads(output_of("ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=pos,size,pts_time,flags",
                                 "-of", "json", path))
    with open(path, "rb") as file:
        for packet in shown["packets"]:
            if "D" in packet["flags"] or "pts_time" not in packet:
                continue  # it is not shown
            file.seek(int(packet["pos"]))
            units = units_of(file.read(int(packet["size"])))
            number = next((number for number in map(number_of, units) if number is not None), None)
            if number is None:
                media.problems.append(f"a frame at {packet['pts_time']} s has no number")
            else:
                media.frames[number] = float(packet["pts_time"])
    words = ["ffmpeg", "-v", "error", "-skip_frame", "nokey", "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-enc_time_base:v", "1:1000000",
             "-vf", "crop=2:2", "-pix_fmt", "gray", "-f", "rawvideo", "-"]
    pixels = subprocess.run(words, stdout=subprocess.PIPE, check=False).stdout
    media.whites = sum(value > WHITE for value in pixels[::4])


def read_beeps(path, media):
    """Decodes the audio block by block. Each block has the time that a player gives it."""
    blocks = [line.split(",")[:2] for line in output_of(
        "ffprobe", "-v", "error", "-select_streams", "a", "-show_entries", "frame=pts_time,nb_samples", "-of", "csv=p=0", path).split()]
    rate = output_of("ffprobe", "-v", "error", "-select_streams", "a", "-show_entries", "stream=sample_rate", "-of", "csv=p=0", path).strip()
    if not blocks or not rate:
        return media.problems.append("no audio")
    rate, decoded, ended = int(rate), 0, -1.0
    with subprocess.Popen(["ffmpeg", "-v", "error", "-i", path, "-map", "0:a:0", "-ac", "1", "-f", "s16le", "-"],
                          stdout=subprocess.PIPE) as process:
        open_beep, after = None, 0.0
        for time, count in blocks:
            time = after if time == "N/A" else float(time)
            after = time + int(count) / rate
            samples = array.array("h", process.stdout.read(2 * int(count)))
            decoded += len(samples)
            if open_beep:
                open_beep[1].extend(samples)
            elif samples and max(max(samples), -min(samples)) > LOUD * 32768:
                at = next(at for at, value in enumerate(samples) if abs(value) > LOUD * 32768)
                if time + at / rate > ended:
                    open_beep = (time + at / rate, samples[at:])
            # 30 ms are enough to count the cycles.
            if open_beep and len(open_beep[1]) > 0.03 * rate:
                media.beeps.append((open_beep[0], second_of(open_beep[1][:int(0.03 * rate)])))
                ended, open_beep = open_beep[0] + 0.1, None
        rest = len(process.stdout.read()) // 2
    if rest or decoded != sum(int(count) for _, count in blocks):
        media.problems.append(f"FFmpeg decodes {decoded + rest} audio frames, ffprobe {sum(int(count) for _, count in blocks)}")


def second_of(samples):
    """The second in the period, by the pitch of the first 30 ms of a beep."""
    crossings = sum((before < 0) != (after < 0) for before, after in zip(samples, samples[1:]))
    return round((crossings / 0.06 - PITCH) / STEP) % PERIOD


@dataclass
class Errors:
    """Errors of the times of one program, in seconds."""

    values: list

    @property
    def start(self):
        return statistics.median(self.values[:5])

    @property
    def end(self):
        return statistics.median(self.values[-5:])

    @property
    def worst(self):
        return max(self.values, key=abs)

    def __str__(self):
        return " ".join(f"{round(1000 * value):8}" for value in (self.start, self.end, self.worst)) if self.values else f"{'-':>8} " * 3


@dataclass
class Verdict:
    """The errors of one program that recorded one camera, in all its files."""

    flashes: Errors  # against the times at which they were sent
    sync: Errors  # each beep against its flash
    frames: int
    missing: int  # frames between the first and the last one
    silent: int  # flashes without a beep
    problems: list


def judge(camera, files):
    """Compares files with what a camera sent.

    `files` has for each file its path, and the host's monotonic clock at its beginning. That is None for programs that do not store it:
    then the first flash is taken as right.
    """
    flashes, sync, problems = [], [], []
    numbers, silent, base = set(), 0, None
    for path, start in files:
        media = read(path)
        problems += [f"{path}: {problem}" for problem in media.problems]
        if not media.frames:
            problems.append(f"{path}: no frames")
            continue
        numbers |= set(media.frames)
        keys = [number for number in sorted(media.frames) if number % RATE == 0]
        if media.whites != len(keys):
            problems.append(f"{path}: {len(keys)} flashes, of which {media.whites} are white")
        for number in keys:
            sent = camera.emission(number / RATE)
            if start is None:
                base = sent - media.frames[number] if base is None else base
            flashes.append((start or base) + media.frames[number] - sent)
            beep = beep_of(media, number)
            if beep is not None:
                sync.append(beep - media.frames[number])
            # The beep of a flash at an edge of the file may be outside.
            elif 1 < media.frames[number] < max(media.frames.values()) - 1:
                silent += 1
    missing = max(numbers) - min(numbers) + 1 - len(numbers) if numbers else 0
    return Verdict(Errors(flashes), Errors(sync), len(numbers), missing, silent, problems)


def beep_of(media, number):
    """The time of the beep of a flash, which has the pitch of its second."""
    flash = media.frames[number]
    own = [time for time, second in media.beeps if second == number // RATE % PERIOD and abs(time - flash) < PERIOD / 2]
    return min(own, key=lambda time: abs(time - flash)) if own else None

"""Thumbnails and waveforms of a movie of one hour, side by side with what people use for them."""
import json
import os
import re
import shlex
import shutil
import subprocess
from typing import Iterator

from .bench import Bench
from .movies import RATE, Movie, make_movie, repeated
from .measuring import Run, alternating, run
from .offline import three
from .row import Row

GROUP = "stills"
COUNT = 100
WIDTH, HEIGHT = 320, 180
BUCKETS = 1000


def rows(bench: Bench) -> Iterator[Row]:
    if not any(map(bench.wants, ("thumbnails", "waveform"))):
        return
    minute = make_movie(bench, "clip.mp4", 1280, 720, 60, ["-c:v", "libx264", "-preset", "veryfast", "-g", str(2 * RATE)])
    hour = repeated(bench, minute, 10 if bench.quick else 60, "hour.mp4")
    yield from thumbnails(bench, hour)
    yield from waveform(bench, hour)
    os.unlink(hour.path)


def thumbnails(bench: Bench, hour: Movie) -> Iterator[Row]:
    """Each program shows the keyframe at or before a moment: ours by default, ffmpegthumbnailer always, FFmpeg by the options here."""
    name = "thumbnails"
    if not bench.wants(name):
        return
    places = {who: bench.path(f"stills-{who}") for who in ("ours", "thumbnailer", "seeks", "pass")}
    ours = [bench.recorder, "frames", hour.path, "--count", str(COUNT), "--size", f"{WIDTH}x{WIDTH}", "--format", "jpeg",
            "--overwrite", "-o", places["ours"] + "/"]
    commands = {"ours": [*ours, "--quiet"]}
    emptied(places["ours"])
    moments = [frame["requested"] for frame in json.loads(run([*ours, "--json"], "the recorder").output)["frames"]]
    # One process for each image is how ffmpegthumbnailer works; it takes whole seconds.
    commands["thumbnailer"] = many(
        ["ffmpegthumbnailer", "-i", hour.path, "-s", str(WIDTH), "-t", f"{int(t) // 3600:02}:{int(t) // 60 % 60:02}:{int(t) % 60:02}",
         "-o", f"{places['thumbnailer']}/{number:03}.jpg"] for number, t in enumerate(moments))
    # FFmpeg's two ways: a seek for each image, without decoding up to the moment; or once through the keyframes.
    quick = ["ffmpeg", "-nostdin", "-v", "error", "-threads", "1", "-skip_frame", "nokey"]
    commands["seeks"] = many(
        [*quick, "-noaccurate_seek", "-ss", f"{t:.3f}", "-i", hour.path, "-map", "0:v", "-frames:v", "1", "-vf", f"scale={WIDTH}:-2",
         "-q:v", "4", f"{places['seeks']}/{number:03}.jpg"] for number, t in enumerate(moments))
    commands["pass"] = ["ffmpeg", "-nostdin", "-v", "error", "-skip_frame", "nokey", "-discard", "nokey", "-i", hour.path, "-map", "0:v",
                        "-vf", f"fps={COUNT}/{hour.seconds:g},scale={WIDTH}:-2", "-q:v", "4", "-frames:v", str(COUNT),
                        f"{places['pass']}/%03d.jpg"]

    def one(who: str) -> Run:
        emptied(places[who])
        return run(commands[who], who)

    ways = {who: one(who) for who in ("seeks", "pass")}
    opponents = {"ffmpegthumbnailer": "thumbnailer", "FFmpeg, seeks": "seeks", "FFmpeg, one pass": "pass"}
    fastest = min(ways, key=lambda who: ways[who].seconds)
    for against, who in opponents.items():
        # The slower of FFmpeg's two ways is there to be known.
        slower = who in ways and who != fastest
        # A hundred processes take half a minute.
        most = 2 if slower else 3 if who == "thumbnailer" else bench.pairs
        results = alternating(min(most, bench.pairs), lambda: one("ours"), lambda: one(who))
        notes, faults = compared(places["ours"], places[who], aligned=who == "seeks")
        yield from three(f"{name}: {against}", results, "" if slower else ">= 2.0", notes, faults, GROUP, against)


def compared(ours: str, theirs: str, aligned: bool) -> tuple[dict, list[str]]:
    """Counts and sizes; and where both show the same keyframes, how far their grey values are apart."""
    a, b = (sorted(os.listdir(place)) for place in (ours, theirs))
    faults = []
    if len(a) != COUNT or len(b) != COUNT:
        faults.append(f"{len(a)} images and {len(b)}")
    sizes = {size(os.path.join(place, names[0])) for place, names in ((ours, a), (theirs, b)) if names}
    if sizes != {(WIDTH, HEIGHT)}:
        faults.append(f"sizes {sorted(sizes)}")
    notes = {"images": f"{len(a)} and {len(b)}"}
    if aligned and not faults:
        apart = [sum(abs(x - y) for x, y in zip(one, other)) / len(one) for one, other in zip(grey(ours), grey(theirs))]
        near = sorted(apart)[len(apart) // 2]
        others = sum(value > 4 for value in apart)
        notes |= {"grey values apart": f"{near:.2f} of 255 in the median", "other keyframes": others}
        # Beside a boundary between keyframes the two may choose either.
        if near > 2.5 or others > COUNT // 20:
            faults.append(f"{near:.1f} grey values apart, {others} different frames")
    return notes, faults


def size(path: str) -> tuple[int, ...]:
    text = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", path],
                          capture_output=True, text=True).stdout
    return tuple(int(value) for value in text.strip().strip(",").split(",") if value)


def grey(place: str) -> list[bytes]:
    """The images of a directory in the order of their names."""
    raw = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-pattern_type", "glob", "-i", f"{place}/*.jpg", "-f", "rawvideo",
                          "-pix_fmt", "gray", "-"], capture_output=True).stdout
    length = WIDTH * HEIGHT
    return [raw[at:at + length] for at in range(0, len(raw), length)]


def waveform(bench: Bench, hour: Movie) -> Iterator[Row]:
    """A thousand peaks of each channel; and an image of them."""
    data, drawing = "waveform numbers", "waveform image"
    if bench.wants(data):
        samples = bench.path("peaks.txt")
        ours = [bench.recorder, "waveform", hour.path, "--buckets", str(BUCKETS), "--json"]
        shown = json.loads(run(ours, "the recorder").output)
        filters = (f"asetnsamples={-(-shown['frames'] // BUCKETS)},astats=metadata=1:reset=1:measure_perchannel=Min_level+Max_level:"
                   f"measure_overall=none,ametadata=print:file={samples}")
        theirs = ["ffmpeg", "-nostdin", "-v", "error", "-i", hour.path, "-map", "0:a", "-af", filters, "-f", "null", "-"]
        results = alternating(bench.pairs, lambda: run(ours, "the recorder"), lambda: run(theirs, "FFmpeg"))
        faults, notes = [], {}
        with open(samples) as file:
            peaks = re.findall(r"astats\.(\d)\.(Min|Max)_level=(\S+)", file.read())
        for channel in range(shown["channels"]):
            levels = [abs(float(value)) for number, _, value in peaks if int(number) == channel + 1]
            found = [max(pair) for pair in zip(levels[::2], levels[1::2])]
            # FFmpeg's buckets are whole numbers of samples, so they drift apart by up to one of them over the movie.
            pairs = list(zip(shown["peak"][channel], found))
            apart = sum(abs(x - y) for x, y in pairs) / max(1, len(pairs))
            notes[f"channel {channel + 1}"] = f"{len(shown['peak'][channel])} and {len(found)} peaks, {apart:.4f} apart"
            if abs(len(found) - BUCKETS) > 10 or apart > 0.02:
                faults.append(notes[f"channel {channel + 1}"])
        yield from three(f"{data}: FFmpeg, astats", results, ">= 1.5", notes, faults, GROUP)
        # The least that any program needs that uses this decoder with one thread; it yields no numbers.
        decoding = ["ffmpeg", "-nostdin", "-v", "error", "-i", hour.path, "-map", "0:a", "-f", "null", "-"]
        results = alternating(bench.pairs, lambda: run(ours, "the recorder"), lambda: run(decoding, "FFmpeg"))
        yield from three(f"{data}: FFmpeg, none", results, "", {"it": "decodes and drops"}, [], GROUP)
        mono = ["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", hour.path, "-map", "0:a", "-af", "aresample=8000,pan=mono|c0=.5*c0+.5*c1",
                "-f", "f32le", bench.path("mono.raw")]
        results = alternating(min(2, bench.pairs), lambda: run(ours, "the recorder"), lambda: run(mono, "FFmpeg"))
        yield from three(f"{data}: FFmpeg, 8 kHz", results, "", {"it": "leaves samples to find peaks in"}, [], GROUP)
    if bench.wants(drawing):
        targets = bench.path("ours.png"), bench.path("theirs.png")
        ours = [bench.recorder, "waveform", hour.path, "--size", "1600x240", "--quiet", "--overwrite", "-o", targets[0]]
        theirs = ["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", hour.path, "-filter_complex", "showwavespic=s=1600x240",
                  "-frames:v", "1", targets[1]]
        results = alternating(min(3, bench.pairs), lambda: run(ours, "the recorder"), lambda: run(theirs, "FFmpeg"))
        sizes = [size(target) for target in targets]
        faults = [] if sizes[0] == sizes[1] else [f"images of {sizes[0]} and {sizes[1]}"]
        yield from three(drawing, results, ">= 1.5", {"images": "{}x{}".format(*sizes[0])}, faults, GROUP)


def many(commands) -> list[str]:
    """One shell that runs them in turn; it waits for each, so that their processor time is its own."""
    return ["sh", "-e", "-c", "\n".join(map(shlex.join, commands))]


def emptied(place: str):
    shutil.rmtree(place, ignore_errors=True)
    os.mkdir(place)

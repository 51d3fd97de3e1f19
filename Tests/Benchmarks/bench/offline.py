"""Re-encoding and passing through, side by side with FFmpeg: the same decoders (libavcodec), the same x264 settings, the same
AAC bit rate. The recorder syncs its copy before it names it; FFmpeg does not, and that is in our time.
"""
import os
import statistics
from typing import Iterator

from .bench import Bench
from .movies import AUDIO, RATE, Movie, beginning, compare, duration, fresh, make_movie, quietly, repeated
from .measuring import alternating, run
from .row import Row

GROUP = "offline"
CRF = "23"
# Two seconds, the recorder's own.
KEY = 2 * RATE
# Groups of equal length, so that a movie can be cut between them.
CODING = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "-g", str(KEY), "-sc_threshold", "0"]
SIZES = {"1080p": (1920, 1080), "720p": (1280, 720), "360p": (640, 360)}
# Seconds of a movie that take about four to encode on two processors.
LENGTHS = {
    "ultrafast": {"1080p": 16, "720p": 36, "360p": 120},
    "veryfast": {"1080p": 8, "720p": 20, "360p": 64},
    "fast": {"1080p": 4, "720p": 8, "360p": 28},
    "medium": {"1080p": 4, "720p": 6, "360p": 20},
}
# name: (extension, FFmpeg's way to make it, the pixels of the copy, seconds)
INPUTS = {
    "1080p MJPEG, PCM, .avi": ("avi", ["-c:v", "mjpeg", "-q:v", "4", "-c:a", "pcm_s16le"], "yuvj420p", 6),
    "1080p ProRes, PCM, .mov": ("mov", ["-c:v", "prores_ks", "-profile:v", "0", "-pix_fmt", "yuv422p10le", "-c:a", "pcm_s16le"], "yuv420p", 5),
    "1080p HEVC, AAC, .mkv": ("mkv", ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=error", *AUDIO], "yuv420p", 6),
    "1080p VP9, Opus, .webm": ("webm", ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "6M", "-c:a", "libopus"], "yuv420p", 6),
    "1080p MPEG-2, AC-3, .ts": ("ts", ["-c:v", "mpeg2video", "-q:v", "4", "-g", "15", "-c:a", "ac3"], "yuv420p", 6),
}

# name: (our codec, preset, factor, FFmpeg's encoder and its settings, width and height, seconds). Our own settings: keyframes where
# decoding begins, no line about the encoder in the stream, and as many threads as there are processors, said to both.
CODECS = {
    "720p HEVC fast": ("hevc", "fast", 28, ["-c:v", "libx265", "-preset", "fast", "-crf", "28", "-forced-idr", "1", "-x265-params",
                       "log-level=none:info=0:open-gop=0:frame-threads={threads}:pools={threads}", "-tag:v", "hvc1"], "720p", 4),
    "360p HEVC medium": ("hevc", "medium", 20, ["-c:v", "libx265", "-preset", "medium", "-crf", "20", "-forced-idr", "1", "-x265-params",
                         "log-level=none:info=0:open-gop=0:frame-threads={threads}:pools={threads}", "-tag:v", "hvc1"], "360p", 12),
    "720p AV1 fast": ("av1", "fast", 35, ["-c:v", "libsvtav1", "-preset", "8", "-crf", "35", "-svtav1-params",
                      "enable-force-key-frames=1:lp={threads}"], "720p", 8),
}

# name, the copy's size, and who scales
SCALINGS = [
    ("1080p to 720p veryfast", (1280, 720), False),
    ("1080p to 720p veryfast, by a writer", (1280, 720), True),
    ("1080p to 640x360 veryfast, by a writer", (640, 360), True),
]


def rows(bench: Bench) -> Iterator[Row]:
    yield from audio(bench)
    yield from passing(bench)
    speeds = []
    yield from codecs(bench)
    for part in (reencoding, inputs, scaling):
        for row in part(bench):
            if row.what == "speed" and not row.name.endswith("by a writer"):
                speeds.append(row.median)
            yield row
    if len(speeds) > 1:
        yield Row(GROUP, "all re-encoding rows", "speed, their medians", speeds, target=">= 1.05",
                  notes={"lowest": f"{min(speeds):.3f}", "rows": len(speeds)})


def reencoding(bench: Bench) -> Iterator[Row]:
    for size, (width, height) in SIZES.items():
        names = {preset: f"{size} {preset}" for preset in LENGTHS}
        if not any(map(bench.wants, names.values())):
            continue
        longest = shortened(bench, max(LENGTHS[preset][size] for preset in names))
        whole = make_movie(bench, f"{size}.mp4", width, height, longest, CODING)
        for preset, name in names.items():
            if bench.wants(name):
                source = beginning(bench, whole, shortened(bench, LENGTHS[preset][size]))
                yield from copies(bench, name, source, preset)


def inputs(bench: Bench) -> Iterator[Row]:
    for number, (name, (extension, coding, pixels, seconds)) in enumerate(INPUTS.items()):
        if bench.wants(name):
            source = make_movie(bench, f"input{number}.{extension}", 1920, 1080, shortened(bench, seconds), coding, audio=[])
            yield from copies(bench, name, source, "veryfast", pixels=pixels, pairs=min(3, bench.pairs))


def codecs(bench: Bench) -> Iterator[Row]:
    """The codecs of an archive, by the same encoders with the same settings and as many threads."""
    threads = str(len(os.sched_getaffinity(0)))
    for name, (codec, preset, factor, encoder, size, seconds) in CODECS.items():
        if not bench.wants(name):
            continue
        width, height = SIZES[size]
        source = make_movie(bench, f"{codec}{size}.mp4", width, height, shortened(bench, seconds), CODING)
        outputs = bench.path("ours.mp4"), bench.path("theirs.mp4")
        ours = [bench.recorder, "reencode", source.path, "--codec", codec, "--preset", preset, "--crf", str(factor), "--threads", threads,
                "--quiet", "--overwrite", "-o", outputs[0]]
        theirs = ["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", source.path, *(word.format(threads=threads) for word in encoder),
                  "-g", str(KEY), "-pix_fmt", "yuv420p", *AUDIO, outputs[1]]
        # SVT-AV1 prints its settings.
        os.environ["SVT_LOG"] = "0"
        # These encoders keep every processor busy for seconds: a run takes a sixth longer whenever the machine has other guests, and
        # the limits are narrower than that.
        results = pairs_of(bench, ours, theirs, outputs, bench.pairs if bench.quick else max(13, bench.pairs))
        comparison = compare(*outputs, source.path)
        yield from three(name, results, ">= 0.97", comparison.notes, comparison.faults, cpu="<= 1.03", memory="<= 1.05")


def scaling(bench: Bench) -> Iterator[Row]:
    """By the steps of an export, and by a writer that gets the frames as they were decoded (`Examples/ReencodeTandem`)."""
    for name, size, by_writer in SCALINGS:
        if bench.wants(name):
            source = make_movie(bench, "scaled.mp4", 1920, 1080, shortened(bench, 12), CODING)
            yield from copies(bench, name, source, "veryfast", size=size, pairs=min(3, bench.pairs), by_writer=by_writer)


def copies(bench, name, source: Movie, preset, pixels="yuv420p", size=None, pairs=0, by_writer=False) -> Iterator[Row]:
    """The rows of one re-encoding: speed, with the limit and what the copies are; processor time; memory."""
    ours = [bench.tool("reencode-tandem"), source.path, bench.path("ours.mp4"), "{}x{}".format(*size)] if by_writer else [bench.recorder, "reencode", source.path, "--preset", preset, "--crf", CRF, "--quiet", "--overwrite"]
    theirs = ["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", source.path, "-c:v", "libx264", "-preset", preset, "-crf", CRF,
              "-g", str(KEY), "-pix_fmt", pixels, *AUDIO]
    if size:
        ours += [] if by_writer else ["--size", "{}x{}".format(*size)]
        theirs += ["-vf", "scale={}:{}".format(*size)]
    outputs = bench.path("ours.mp4"), bench.path("theirs.mp4")
    results = pairs_of(bench, ours if by_writer else [*ours, "-o", outputs[0]], [*theirs, outputs[1]], outputs, pairs)
    comparison = compare(*outputs, source.path)
    notes = {"limit": f"{limit(bench, source, preset, size, results):.3f}", **comparison.notes}
    yield from three(name, results, ">= 1.0", notes, comparison.faults)
    if "input" in source.path:
        fresh(source.path)


def limit(bench, source: Movie, preset, size, results) -> float:
    """How many times FFmpeg's speed no program can pass with this x264 and this decoder: their processor time alone, shared out
    over all processors without a gap. Audio, files and scaling are left out."""
    width, height = size or (source.width, source.height)
    raw = os.path.join("/dev/shm", f"bench.{os.getpid()}.i420")
    try:
        scale = ["-vf", f"scale={width}:{height}"] if size else []
        quietly(["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", source.path, "-map", "0:v", *scale, "-pix_fmt", "yuv420p", "-f", "rawvideo", raw],
                "decoding")
        encoder = run([bench.tool("x264-limit"), raw, str(width), str(height), str(RATE), preset, CRF, str(KEY)], "x264 alone")
    finally:
        fresh(raw)
    decoder = run(["ffmpeg", "-nostdin", "-v", "error", "-i", source.path, "-map", "0:v", "-f", "null", "-"], "the decoder alone")
    least = (float(encoder.output.split()[0]) + decoder.cpu) / len(os.sched_getaffinity(0))
    return statistics.median(theirs.seconds for _, theirs in results) / least


def audio(bench: Bench) -> Iterator[Row]:
    name = "audio alone, AAC to AAC"
    if not bench.wants(name):
        return
    source = make_movie(bench, "audio.mp4", 320, 180, shortened(bench, 180), ["-c:v", "libx264", "-preset", "ultrafast", "-g", str(KEY)])
    outputs = bench.path("ours.m4a"), bench.path("theirs.m4a")
    results = pairs_of(
        bench, [bench.recorder, "reencode", source.path, "--no-video", "--quiet", "--overwrite", "--audio-bit-rate", "128k", "-o", outputs[0]],
        ["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", source.path, "-vn", *AUDIO, outputs[1]], outputs)
    apart = abs(duration(outputs[0], "a:0") - duration(outputs[1], "a:0"))
    size = os.path.getsize(outputs[0]) / os.path.getsize(outputs[1])
    faults = [f"{apart:.2f} s apart"] * (apart > 0.1) + [f"{size:.3f} of the size"] * (not 0.95 <= size <= 1.05)
    yield from three(name, results, ">= 1.0", {"size": f"{size:.4f}"}, faults)


def passing(bench: Bench) -> Iterator[Row]:
    """Cutting and joining without encoding: a gigabyte or so."""
    if not (bench.wants("trim") or bench.wants("join")):
        return
    minute = make_movie(bench, "minute.mp4", 1920, 1080, shortened(bench, 60), ["-c:v", "libx264", "-preset", "ultrafast", "-crf", "16", "-g", str(KEY)])
    long = repeated(bench, minute, 10, "long.mp4")
    megabytes = os.path.getsize(long.path) >> 20
    outputs = bench.path("ours.mp4"), bench.path("theirs.mp4")
    copy = ["--codec", "passthrough", "--audio-codec", "passthrough", "--quiet", "--overwrite", "-o", outputs[0]]
    ffmpeg = ["ffmpeg", "-nostdin", "-v", "error", "-y"]
    begin, end = (20, 560) if not bench.quick else (4, 90)
    if bench.wants("trim"):
        results = pairs_of(bench, [bench.recorder, "reencode", long.path, "--from", str(begin), "--to", str(end), *copy],
                           [*ffmpeg, "-ss", str(begin), "-i", long.path, "-t", str(end - begin), "-c", "copy", outputs[1]], outputs)
        # FFmpeg writes what is decoded before the end, a frame or two more.
        comparison = compare(*outputs, frames=0.002)
        yield from three("trim, passed through", results, ">= 1.0", {"of": f"{megabytes} MiB", **comparison.notes}, comparison.faults)
    if bench.wants("join"):
        other = bench.path("other.mp4")
        os.link(long.path, other)
        with open(bench.path("list.txt"), "w") as file:
            file.write(f"file '{long.path}'\nfile '{other}'\n")
        results = pairs_of(bench, [bench.recorder, "reencode", long.path, other, *copy],
                           [*ffmpeg, "-f", "concat", "-safe", "0", "-i", bench.path("list.txt"), "-c", "copy", outputs[1]], outputs,
                           min(3, bench.pairs))
        comparison = compare(*outputs, frames=0.001)
        yield from three("join of two, passed through", results, ">= 1.0", {"of": f"twice {megabytes} MiB", **comparison.notes}, comparison.faults)
    fresh(long.path, bench.path("other.mp4"), *outputs)


def shortened(bench: Bench, seconds: float) -> float:
    return max(2, seconds // 12 * 2) if bench.quick else seconds


def pairs_of(bench, ours, theirs, outputs, pairs=0):
    def one(command, output, what):
        fresh(output)
        return run(command, what)

    return alternating(pairs or bench.pairs, lambda: one(ours, outputs[0], "the recorder"), lambda: one(theirs, outputs[1], "FFmpeg"))


def three(name, results, target, notes, faults, group=GROUP, against="FFmpeg", what="speed", cpu="", memory="") -> Iterator[Row]:
    """Speed, processor time and memory of the same runs. Where the outputs are not the same work, a row more that says so."""
    ours, theirs = zip(*results)
    yield Row(group, name, what, [a.seconds for a in ours], [b.seconds for b in theirs], against, speed=True, target=target, notes=notes)
    yield Row(group, name, "CPU s", [a.cpu for a in ours], [b.cpu for b in theirs], against, target=cpu)
    yield Row(group, name, "peak memory MiB", [a.peak / 1024 for a in ours], [b.peak / 1024 for b in theirs], against, target=memory)
    if faults:
        yield Row(group, name, "not the same work", [float(len(faults))], target="<= 0", notes={"because": "; ".join(faults)})

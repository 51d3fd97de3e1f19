"""What it costs to rotate, mask and stamp frames, beside FFmpeg's `transpose,drawbox,drawtext`.

The cost is the difference to the same program without them. Live, so that x264 gets the same scene in both runs, the plain run
gets frames that were rotated and masked before; what is left of x264 in the difference is taken out by samples.

In a copy, x264 and the decoder take ten times as much as the stage, so the difference of two runs has a spread of half its value.
A movie that was turned before also takes another time to decode. So both runs read the same movie, and samples show what was
spent outside of both libraries, of which the plain run's part is subtracted. The kernel's part is left out too: to provide memory
for frames takes it up to half of the stage's time in one run and nothing in the next, for both programs. It is in the row "in all".
"""
from typing import Iterator

from . import recording, sources
from .bench import Bench
from .measuring import alternating, run
from .movies import fresh, likeness, make_movie, quietly, times
from .offline import CRF, KEY
from .profile import Cost, cost, parts, sampled
from .recording import Settings
from .row import Row
from .sources import Camera

GROUP = "stage"
WIDTH, HEIGHT = 1920, 1080
TARGET = "<= 0.6"
MASK = "0,0 40,0 40,25 0,25"
# The part that the mask hides, in FFmpeg's words.
DRAWBOX = "drawbox=x=0:y=0:w=iw*0.4:h=ih*0.25:color=black:t=fill"
TURNED = f"transpose=1,{DRAWBOX}"
# A text that changes with each frame, on both sides. FFmpeg's frames have no capture time that drawtext could show to milliseconds.
STAMP = "%Y-%m-%d %H:%M:%S %{counter}"
DRAWTEXT = r"%{localtime:%Y-%m-%d %H\:%M\:%S} %{n}"
FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"
LIVE = "1080p30 YUYV, turned, masked, stamped"
COPY = "1080p copy, turned and masked"


def rows(bench: Bench) -> Iterator[Row]:
    if bench.wants(LIVE):
        yield from live(bench)
    if bench.wants(COPY):
        yield from copy(bench)


def ours(settings: Settings) -> list[str]:
    return ["--rotate", "90", "--mask", MASK, "--stamp", STAMP] if settings.stage else []


def theirs(bench: Bench) -> str:
    text = bench.path("stamp.txt")
    with open(text, "w") as file:
        file.write(DRAWTEXT)
    # Converted first: fewer bytes to turn.
    return (f"format=yuv420p,{TURNED},drawtext=fontfile={FONT}:textfile={text}:x=40:y=40:fontsize=76:fontcolor=white:"
            "borderw=3:bordercolor=black")


def size(path: str) -> tuple[int, int]:
    text = quietly(["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "stream=width,height", "-of", "csv=p=0", path],
                   "ffprobe")
    width, height = map(int, text.strip().strip(",").split(",")[:2])
    return width, height


def live(bench: Bench) -> Iterator[Row]:
    settle, seconds = (2, 4) if bench.quick else (2, 10)
    output, profile = bench.path("stage.mov"), bench.path("profile")
    sizes = set()

    def measure(command: list[str], settings: Settings) -> tuple[float, float, int]:
        """Processor seconds per recorded minute; those that are not x264; missing frames."""
        found = recording.record(bench, command, settings, settle, seconds, profile, account=lambda _, path: size(path))
        sizes.add(found.account)
        return found.cpu_per_minute, found.cpu_per_minute * parts(profile).not_x264, found.missing

    with (Camera(bench, sources.clip(bench, WIDTH, HEIGHT, "yuyv"), "scene") as scene,
          Camera(bench, sources.clip(bench, WIDTH, HEIGHT, "yuyv", changed=TURNED), "turned") as turned):
        plain = Settings(turned, preset="ultrafast", audio=False)
        staged = Settings(scene, preset="ultrafast", audio=False, stage=True)

        def recorder(settings):
            return measure([*recording.recorder(bench, settings, output), *ours(settings)], settings)

        def ffmpeg(settings):
            words = recording.ffmpeg(bench, settings, output)
            if settings.stage:
                words[-1:] = ["-vf", theirs(bench), words[-1]]
            return measure(words, settings)

        def difference(program):
            without, with_it = program(plain), program(staged)
            return [a - b for a, b in zip(with_it, without)] + [with_it[2] + without[2]]

        pairs = alternating(bench.pairs, lambda: difference(recorder), lambda: difference(ffmpeg))
    notes = {"missing": " : ".join(str(sum(result[3] for result in results)) for results in zip(*pairs))}
    yield Row(GROUP, LIVE, "CPU s a minute, in all", [a[0] for a, _ in pairs], [b[0] for _, b in pairs], notes=notes)
    yield Row(GROUP, LIVE, "CPU s a minute, not x264", [a[1] for a, _ in pairs], [b[1] for _, b in pairs], target=TARGET, notes=notes)
    if sizes != {(HEIGHT, WIDTH)}:
        yield Row(GROUP, LIVE, "not the same work", [1.0], target="<= 0", notes={"because": f"sizes {sorted(sizes)}"})


def copy(bench: Bench) -> Iterator[Row]:
    """A copy of a movie, turned and masked, less a copy of the same movie as it is."""
    coding = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "16"]
    source = make_movie(bench, "scene.mp4", WIDTH, HEIGHT, 4 if bench.quick else 16, coding, audio=[])
    output, other = bench.path("ours.mp4"), bench.path("theirs.mp4")

    def recorder(*words: str) -> Cost:
        return taken([bench.recorder, "reencode", source.path, "--no-audio", "--preset", "ultrafast", "--crf", CRF, "--quiet", *words,
                      "-o", output], output)

    def ffmpeg(*words: str) -> Cost:
        return taken(["ffmpeg", "-nostdin", "-v", "error", "-i", source.path, "-an", *words, "-c:v", "libx264", "-preset", "ultrafast",
                      "-crf", CRF, "-g", str(KEY), "-pix_fmt", "yuv420p", other], other)

    def taken(command: list[str], written: str) -> Cost:
        fresh(written)
        run(sampled(command, bench.path("profile")), command[0])
        return cost(bench.path("profile"))

    # The copy that was turned is made last, and compared below.
    def staged(program, *words: str) -> Cost:
        plain = program()
        return program(*words) - plain

    pairs = alternating(bench.pairs, lambda: staged(recorder, "--rotate", "90", "--mask", MASK), lambda: staged(ffmpeg, "-vf", TURNED))
    yield Row(GROUP, COPY, "CPU s, in all", [a.whole for a, _ in pairs], [b.whole for _, b in pairs])
    yield Row(GROUP, COPY, "CPU s, no codecs, no kernel", [a.own for a, _ in pairs], [b.own for _, b in pairs], target=TARGET)
    faults = []
    if {size(output), size(other)} != {(HEIGHT, WIDTH)}:
        faults.append(f"sizes {size(output)} and {size(other)}")
    frames = [len(times(path)) for path in (source.path, output, other)]
    if len(set(frames)) > 1:
        faults.append(f"frames {frames}")
    alike = likeness(output, other)
    if not alike >= 0.95:
        faults.append(f"SSIM {alike:.3f}")
    if faults:
        yield Row(GROUP, COPY, "not the same work", [1.0], target="<= 0", notes={"because": "; ".join(faults)})
    fresh(source.path, output, other)

"""The movies: each kind makes one from random numbers."""
import os
import subprocess

from . import atoms

GOP = "keyint={0}:min-keyint={0}:scenecut=0"


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, timeout=120)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, words))}: {done.stderr.decode(errors='replace')[-400:]}")
    return done.stdout


class Movie:
    """A file, and whose frames it is to show where FFmpeg's reader cannot tell."""

    def __init__(self, path, words, reference=None, due=None, has_edits=False):
        """`due`: milliseconds at which the frames of a re-encoded copy are to be shown, and nothing; None: as in the reference.

        `has_edits`: its edit list says what is shown; FFmpeg may show something else."""
        self.path, self.words, self.due, self.has_edits = path, words, due, has_edits
        self.reference = reference or path


def source(chance, seconds):
    pattern = chance.choice(["testsrc2", "testsrc", "smptebars,geq=lum='lum(X,Y)*0+mod(N*7,200)+20':cb=128:cr=128"])
    rate = chance.choice(["25", "30", "24", "30000/1001", "50", "10"])
    head, _, tail = pattern.partition(",")
    return f"{head}=s=160x120:r={rate}:d={seconds}" + (f",{tail}" if tail else "")


def audio(chance, seconds):
    return [] if chance.random() < 0.5 else ["-f", "lavfi", "-i", f"sine=frequency=440:sample_rate=48000:duration={seconds}"]


def audio_codec(chance, extension):
    choices = {"ts": ["aac", "mp2"], "avi": ["mp2", "pcm_s16le"], "mp4": ["aac", "alac"]}
    return ["-c:a", chance.choice(choices.get(extension, ["aac", "pcm_s16le", "alac"]))]


def video_codec(chance, extension, is_open=False):
    gop = chance.choice([8, 12, 14, 25, 60])
    between = chance.choice([2, 3]) if is_open else chance.choice([0, 1, 2, 3])
    h264 = ["-c:v", "libx264", "-preset", chance.choice(["ultrafast", "medium"]), "-bf", between, "-x264-params",
            GOP.format(gop) + (":open-gop=1:b-adapt=0" if is_open else "")]
    hevc = ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
            GOP.format(gop) + f":bframes={between}:log-level=none:open-gop={int(is_open)}" + (":b-adapt=0" if is_open else "")]
    mpeg2 = ["-c:v", "mpeg2video", "-g", gop, "-bf", min(2, between), "-q:v", "4"]
    if is_open:
        return chance.choice([h264, h264, hevc, hevc] + ([mpeg2] if extension in ("ts", "mkv", "mov") else []))
    mpeg4 = ["-c:v", "mpeg4", "-g", gop, "-bf", min(2, between), "-q:v", "4"]
    intra = [["-c:v", "mjpeg", "-q:v", "4"], ["-c:v", "prores_ks"]]
    choices = {"ts": [h264, hevc, mpeg2], "avi": [mpeg4, h264, intra[0]], "mp4": [h264, hevc, mpeg4],
               "mkv": [h264, hevc, mpeg2, mpeg4, intra[0]], "mov": [h264, hevc, mpeg4, mpeg2] + intra}
    return chance.choice(choices[extension])


def pixels(codec):
    return ["-pix_fmt", "yuv422p10le" if "prores_ks" in codec else "yuvj420p" if "mjpeg" in codec else "yuv420p"]


def ffmpeg(chance, path, extension, codec, seconds=3, filters=None, options=()):
    if "mpeg2video" in codec and "r=10" in (pattern := source(chance, seconds)):
        pattern = pattern.replace("r=10", "r=25")
    elif "mpeg2video" not in codec:
        pattern = source(chance, seconds)
    heard = audio(chance, seconds)
    if filters:
        pattern += "," + filters
    words = ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", pattern, *heard, *codec, *pixels(codec), *options]
    if heard:
        words += audio_codec(chance, extension)
    run(*words, path)
    return " ".join(map(str, words[3:]))


def plain(chance, folder):
    extension = chance.choice(["mp4", "mov", "mkv", "ts", "avi"])
    path = os.path.join(folder, "plain." + extension)
    return Movie(path, ffmpeg(chance, path, extension, video_codec(chance, extension)))


def open_groups(chance, folder):
    extension = chance.choice(["mp4", "mov", "mkv", "ts"])
    path = os.path.join(folder, "open." + extension)
    return Movie(path, ffmpeg(chance, path, extension, video_codec(chance, extension, is_open=True)))


def fragments(chance, folder):
    extension = chance.choice(["mp4", "mov"])
    path = os.path.join(folder, "fragments." + extension)
    flags = chance.choice(["frag_keyframe+empty_moov", "frag_keyframe+delay_moov", "frag_keyframe+empty_moov+default_base_moof"])
    return Movie(path, ffmpeg(chance, path, extension, video_codec(chance, "mp4"), options=["-movflags", flags]))


def held(chance, folder):
    extension = chance.choice(["mp4", "mov", "mkv"])
    path = os.path.join(folder, "held." + extension)
    filters = f"select='not(mod(floor(random(1)*{chance.choice([3, 7, 15])})\\,5))+eq(n\\,0)'"
    return Movie(path, ffmpeg(
        chance, path, extension, video_codec(chance, extension), seconds=6, filters=filters, options=["-fps_mode", "vfr"]))


def edit_list(chance, folder):
    """Several edits: apart, joined, repeated, backwards, with nothing between, of video, audio or both."""
    made, path = os.path.join(folder, "made.mp4"), os.path.join(folder, "edits.mp4")
    codec = video_codec(chance, "mp4", is_open=chance.random() < 0.3)
    # In these ticks every frame has a whole number: FFmpeg shows frames a little later where edits were rounded.
    words = ffmpeg(chance, made, "mp4", codec, seconds=4, options=["-movie_timescale", "120000"])
    data = bytearray(open(made, "rb").read())
    start = atoms.media_start(data, b"vide")
    rate = next(eval(word.split(":")[1][2:]) for word in words.split() if ":r=" in word)
    frame, way = 1 / rate, chance.choice(["apart", "apart", "joined", "again", "backwards", "gap"])
    lengths = [chance.randint(3, 12) for _ in range(chance.randint(2, 4))]
    places, place = [], chance.randint(0, 5)
    for length in lengths:
        if place + length >= 4 * rate:
            break
        places.append((length, place))
        place += length + (0 if way == "joined" else chance.randint(1, 8))
    if way == "again":
        places.append(places[0])
    if way == "backwards":
        places.reverse()
    edits = [(length * frame, start + place * frame) for length, place in places]
    if way == "gap":
        edits.insert(1, (chance.choice([0.2, 0.5, 1.0]), None))
    if chance.random() < 0.3:
        edits.insert(0, (chance.choice([0.1, 0.5]), None))
    due, moment = [], 0
    for length, begin in edits:
        if begin is not None:
            due += [(round((moment + number * frame) * 1000), None) for number in range(round(length / frame))]
        moment += length
    total = atoms.set_edits(data, b"vide", edits)
    if any(track[0] == b"soun" for track in atoms.tracks(data)) and chance.random() < 0.5:
        total = max(total, atoms.set_edits(data, b"soun", [(0.5, 0.1), (0.7, 1.9)]))
    atoms.set_duration(data, total)
    open(path, "wb").write(data)
    return Movie(path, f"{words} # edits {way} {[(round(a, 3), b and round(b, 3)) for a, b in edits]}", due=due if way == "gap" else None,
                 has_edits=True)


def trimmed(chance, folder):
    """Cut by FFmpeg without encoding: an edit list hides what decoding needs."""
    extension = chance.choice(["mp4", "mov"])
    made, path = os.path.join(folder, "made." + extension), os.path.join(folder, "trimmed." + extension)
    words = ffmpeg(chance, made, extension, video_codec(chance, extension, is_open=chance.random() < 0.5), seconds=4)
    start = round(chance.uniform(0.2, 2), 3)
    run("ffmpeg", "-v", "error", "-y", "-ss", start, "-i", made, "-c", "copy", path)
    return Movie(path, f"{words} # -ss {start} -c copy")


def fields(chance, folder):
    """Interlaced, either field first."""
    extension = chance.choice(["mov", "mkv", "ts"])
    path = os.path.join(folder, "fields." + extension)
    order = chance.choice(["tff", "bff"])
    top = int(order == "tff")
    codec = chance.choice([
        ["-c:v", "libx264", "-x264-params", f"{order}=1:keyint=12", "-bf", "2"],
        ["-c:v", "mpeg2video", "-flags", "+ildct+ilme", "-top", top, "-g", "12", "-bf", "2", "-q:v", "4"],
    ] + ([["-c:v", "prores_ks", "-flags", "+ildct", "-top", top]] if extension == "mov" else []))
    filters = f"interlace=scan={order}:lowpass=off,setfield={order}"
    if extension == "ts":
        # At 8 frames a second and less, the ffmpeg command shows the first frame of a transport stream for one field only; ffprobe does not.
        filters = "fps=fps='max(source_fps,20)'," + filters
    return Movie(path, ffmpeg(chance, path, extension, codec, filters=filters))


def without_offsets(chance, folder):
    """B-frames, and no table that says when they are shown: whole frames at equal distances, as they were."""
    made, path = os.path.join(folder, "made.mp4"), os.path.join(folder, "offsets.mp4")
    codec = chance.choice([["-c:v", "libx264", "-bf", chance.choice([1, 2, 3]), "-g", "12"], ["-c:v", "mpeg4", "-bf", "2"]])
    words = ffmpeg(chance, made, "mp4", codec)
    data = bytearray(open(made, "rb").read())
    atoms.drop(data, b"vide", b"ctts")
    atoms.drop(data, b"vide", b"edts")
    open(path, "wb").write(data)
    return Movie(path, words + " # without ctts", reference=made)


def gstreamer(chance, folder):
    muxer, extension = chance.choice([("qtmux", "mov"), ("mp4mux", "mp4"), ("matroskamux", "mkv")])
    path = os.path.join(folder, "gst." + extension)
    group = chance.choice([10, 15, 30])
    encoder = chance.choice([
        f"x265enc key-int-max={group} speed-preset=ultrafast option-string=bframes={chance.choice([0, 2, 3])}:open-gop="
        f"{chance.choice([0, 1])}:b-adapt=0 ! h265parse", f"openh264enc gop-size={group} ! h264parse",
    ] + (["avenc_mjpeg"] if extension != "mp4" else []))
    rate = chance.choice(["25/1", "30000/1001"])
    words = (f"videotestsrc num-buffers=75 pattern=ball ! video/x-raw,format=I420,width=160,height=120,framerate={rate} ! {encoder} ! "
             f"{muxer} ! filesink location={path}")
    run("gst-launch-1.0", "-q", *words.split())
    return Movie(path, "gst-launch-1.0 " + words)


def joined(chance, folder):
    """Two encodings in one track: QuickTime files with two sample descriptions, as FFmpeg's concat makes of them."""
    made = [os.path.join(folder, f"part{number}.ts") for number in (1, 2)]
    state = chance.getstate()
    for number, path in enumerate(made):
        chance.setstate(state)
        codec = ["-c:v", "libx264", "-bf", 2 * number, "-g", 12, "-profile:v", ["baseline", "main"][number]]
        run("ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"testsrc2=s=160x120:r=25:d={1 + number}", *codec, "-pix_fmt",
            "yuv420p", path)
    chance.random()
    path = os.path.join(folder, "joined.ts")
    listing = os.path.join(folder, "parts.txt")
    open(listing, "w").write("".join(f"file '{name}'\n" for name in made))
    run("ffmpeg", "-v", "error", "-y", "-f", "concat", "-safe", "0", "-i", listing, "-c", "copy", path)
    return Movie(path, "two H.264 encodings, joined in .ts")


def descriptions(chance, folder):
    """Two sample descriptions in one track, as editors write clips that they join."""
    rate, encoder = chance.choice(["25", "24", "10"]), chance.choice(["libx264", "libx264", "libx265"])
    words = []
    for number in (1, 2):
        options = f"keyint={chance.choice([6, 12, 25])}:bframes=0"
        if encoder == "libx264":
            options += f":cabac={number - 1}:weightp=0"
        else:
            options += f":log-level=none:ref={number}"
        codec = ["-c:v", encoder, "-preset", "ultrafast", "-x26" + encoder[-1] + "-params", options, "-pix_fmt", "yuv420p"]
        words = ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"testsrc2=s=160x120:r={rate}:d={chance.choice([1, 2])}", *codec,
                 "-video_track_timescale", int(rate) * 1000, "-movie_timescale", int(rate) * 1000]
        run(*words, os.path.join(folder, f"part{number}.mp4"))
    parts = [bytearray(open(os.path.join(folder, f"part{number}.mp4"), "rb").read()) for number in (1, 2)]
    path = os.path.join(folder, "descriptions.mov")
    open(path, "wb").write(atoms.joined(*parts))
    return Movie(path, " ".join(map(str, words[3:])) + " # and another encoding before it")


KINDS = {kind.__name__: kind for kind in (
    plain, open_groups, fragments, held, edit_list, trimmed, fields, without_offsets, gstreamer, joined, descriptions)}

# shellcheck shell=bash
# shellcheck disable=SC2154 # bin, movies and failures are set where this is sourced
# Runs the programs that read and write movies, and judges the results (scripts/compat). The function of a program has the
# name of its driver, in lower case.

# make_plain NAME SECONDS [ENCODER…]: a movie of 640 × 360 with a tone
make_plain() {
    local name=$1 seconds=$2
    shift 2
    make_movie "$name" -f lavfi -i "testsrc2=s=640x360:r=30:d=$seconds" \
        -f lavfi -i "sine=frequency=440:sample_rate=44100:duration=$seconds" \
        -c:v libx264 "$@" -pix_fmt yuv420p -c:a aac -ac 2
}

# make_rotated PLAIN TURNED SECONDS [ENCODER…]: the same, and that with a rotation
make_rotated() {
    local plain=$1 turned=$2 seconds=$3 rotation=()
    shift 3
    make_plain "$plain" "$seconds" "$@"
    # FFmpeg writes a rotation only where it copies: up to 5.1 from the tag, later from the option.
    if [[ $(ffmpeg -v error -h full) == *-display_rotation* ]]; then rotation=(-display_rotation:v:0 90); fi
    make_movie "$turned" "${rotation[@]}" -i "$movies/$plain" -c copy -metadata:s:v:0 rotate=90
}

# rotation FILE: in degrees; nothing if there is none
rotation() { numbers "$1" v:0 stream_side_data=rotation; }

exporter() {
    local codec size audio out size_wanted seconds=5
    make_rotated upright.mov phone.mov $seconds
    make_rotated upright-hevc.mov phone-hevc.mov $seconds -c:v libx265 -x265-params log-level=error -tag:v hvc1
    for source in phone.mov phone-hevc.mov; do
        for codec in h264 hevc; do
            for size in "360 640" "180 320"; do
                for audio in aac pcm; do
                    out=$movies/exported-${source%.mov}-$codec-${size% *}-$audio.mov
                    rm -f "$out"
                    # shellcheck disable=SC2086 # two numbers
                    "$bin/Exporter" "$movies/$source" "$out" "$codec" $size "$audio" || failures=$((failures + 1))
                    size_wanted="$codec ${size/ / } $((seconds * 30))"
                    expect "$(basename "$out")" "$(numbers "$out" v:0 stream=codec_name,width,height,nb_read_frames)" "$size_wanted"
                    near "  its length" "$(numbers "$out" v:0 format=duration)" $seconds 0.1
                    expect "  its audio" "$(numbers "$out" a:0 stream=channels)" 2
                    near "  how long that is" "$(numbers "$out" a:0 stream=duration)" $seconds 0.1
                done
            done
        done
    done
}

compressor() {
    local seconds=60
    make_movie large.mov -f lavfi -i "testsrc2=s=1280x720:r=30:d=$seconds,noise=alls=40:allf=t" -f lavfi -i "sine=frequency=440:sample_rate=44100:duration=$seconds" \
        -c:v libx264 -preset ultrafast -b:v 42M -minrate 42M -maxrate 42M -bufsize 20M -x264-params nal-hrd=cbr -pix_fmt yuv420p -c:a aac
    say "large.mov: $(($(stat -c %s "$movies/large.mov") >> 20)) MiB"
    rm -f "$movies/compressed.mov"
    "$bin/Compressor" "$movies/large.mov" "$movies/compressed.mov" || failures=$((failures + 1))
    expect "compressed.mov" "$(numbers "$movies/compressed.mov" v:0 stream=width,height,nb_read_frames)" "960 528 $((seconds * 30))"
    near "  its length" "$(numbers "$movies/compressed.mov" v:0 format=duration)" $seconds 0.1
    near "  its audio" "$(numbers "$movies/compressed.mov" a:0 stream=duration)" $seconds 0.1
    expect "  how much smaller" "$(($(stat -c %s "$movies/large.mov") / $(stat -c %s "$movies/compressed.mov") >= 3))" 1
}

# Besides H.264 and HEVC with the program's own settings: two movies as one, and frames that are replaced.
videoio() {
    local codec size out seconds=2
    make_rotated plain.mov turned.mov "$seconds"
    for codec in h264 hevc; do
        for size in "360 640" "180 320"; do
            out=$movies/videoio-$codec-${size% *}.mov
            # shellcheck disable=SC2086 # two numbers
            "$bin/VideoIO" export "$movies/turned.mov" "$out" "$codec" $size || failures=$((failures + 1))
            # The frames are stored as those of the source, and rotated when they are shown.
            expect "$(basename "$out")" "$(numbers "$out" v:0 stream=codec_name,width,height,nb_read_frames)" \
                "$codec ${size#* } ${size% *} $((seconds * 30))"
            near "  its length" "$(numbers "$out" v:0 format=duration)" "$seconds" 0.1
            expect "  its rotation" "$(rotation "$out")" "$(rotation "$movies/turned.mov")"
            expect "  its audio" "$(numbers "$out" a:0 stream=codec_name,channels)" "aac 2"
        done
    done
    out=$movies/videoio-merged.mov
    "$bin/VideoIO" merge "$out" "$movies/turned.mov" "$movies/turned.mov" || failures=$((failures + 1))
    expect "$(basename "$out")" "$(numbers "$out" v:0 stream=codec_name,width,height,nb_read_frames)" \
        "h264 640 360 $((2 * seconds * 30))"
    near "  its length" "$(numbers "$out" v:0 format=duration)" $((2 * seconds)) 0.1
    expect "  its rotation" "$(rotation "$out")" "$(rotation "$movies/turned.mov")"
    out=$movies/videoio-gray.mov
    "$bin/VideoIO" gray "$movies/turned.mov" "$out" || failures=$((failures + 1))
    expect "$(basename "$out")" "$(numbers "$out" v:0 stream=nb_read_frames)" $((seconds * 30))
    near "  its brightness" "$(brightness "$out" 31)" 200 15
}

# Drawing needs Cairo (docs/guide/avfoundation.md). The program draws ARGB into a BGRA buffer: the gray of the source is
# in green and red, and blue is 255, so that it is brighter than the source.
peekaboo() {
    local frames
    make_movie dawn.mov -f lavfi -i "color=gray:s=640x360:r=30:d=2,geq=lum='if(gte(T,1),200,40)':cb=128:cr=128" \
        -c:v libx264 -pix_fmt yuv420p
    frames=$("$bin/Peekaboo" "$movies/dawn.mov" "$movies/sampled.mp4" 10 160) || failures=$((failures + 1))
    frames=$(sed -n 's/^frames //p' <<<"$frames")
    near "frames of the source" "$frames" 20 1
    expect "sampled.mp4" "$(numbers "$movies/sampled.mp4" v:0 stream=codec_name,width,height,nb_read_frames)" \
        "h264 160 90 $frames"
    near "  its length" "$(numbers "$movies/sampled.mp4" v:0 format=duration)" 2 0.15
    near "  its brightness before dawn" "$(brightness "$movies/sampled.mp4" 6)" 54 25
    near "  its brightness after it" "$(brightness "$movies/sampled.mp4" 16)" 219 25
}

# Packets as they are, and frames that are cropped to a square.
cloudinary_ios() {
    local seconds=5 out=$movies/copied.mp4
    make_plain uploaded.mov $seconds
    "$bin/cloudinary_ios" "$movies/uploaded.mov" "$out" AVAssetExportPresetPassthrough || failures=$((failures + 1))
    expect "$(basename "$out")" "$(numbers "$out" v:0 stream=codec_name,width,height,nb_read_frames)" \
        "h264 640 360 $((seconds * 30))"
    near "  its audio" "$(numbers "$out" a:0 stream=duration)" $seconds 0.1
    out=$movies/square.mp4
    "$bin/cloudinary_ios" "$movies/uploaded.mov" "$out" AVAssetExportPresetHighestQuality 320 320 ||
        failures=$((failures + 1))
    expect "$(basename "$out")" "$(numbers "$out" v:0 stream=codec_name,width,height)" "h264 320 320"
    near "  its frames" "$(numbers "$out" v:0 stream=nb_read_frames)" $((seconds * 30)) 2
    near "  its audio" "$(numbers "$out" a:0 stream=duration)" $seconds 0.1
}

# A video, and five files that the program refuses.
gifski() {
    local lines
    make_movie gif.mp4 -f lavfi -i testsrc2=s=320x240:r=30:d=2 \
        -f lavfi -i sine=frequency=440:sample_rate=44100:duration=2 -c:v libx264 -bf 0 -pix_fmt yuv420p -c:a aac
    make_movie audio.mp4 -f lavfi -i sine=frequency=440:sample_rate=44100:duration=2 -c:a aac
    make_movie small.mp4 -f lavfi -i color=s=2x2:r=30:d=1 -c:v libx264 -pix_fmt yuv420p
    : >"$movies/empty.mov"
    echo "not a movie" | tee "$movies/words.txt" >"$movies/words.mov"
    lines=$("$bin/Gifski" "$movies"/{gif.mp4,audio.mp4,small.mp4,empty.mov,words.txt,words.mov}) ||
        failures=$((failures + 1))
    expect "a movie" "$(sed -n 1p <<<"$lines")" "320×240 30 2.0 0"
    expect "audio alone" "$(sed -n 2p <<<"$lines")" "refused: Audio files are not supported."
    expect "tiny frames" "$(sed -n 3p <<<"$lines")" "refused: The video dimensions must be at least 4×4."
    expect "an empty file" "$(sed -n 4p <<<"$lines")" "refused: The selected file is empty."
    expect "a text" "$(sed -n 5p <<<"$lines")" \
        "refused: The selected file could not be converted because it's not a video."
    expect "a text named movie" "$(sed -n 6p <<<"$lines" | cut -d: -f1)" refused
}

# Two movies as one without encoding, and a WAVE file as Apple Lossless, with the same samples, and AAC.
mediakit() {
    local name seconds=2
    for name in one two; do
        make_movie $name.mov -f lavfi -i "testsrc2=s=640x360:r=30:d=$seconds" \
            -f lavfi -i "sine=frequency=440:sample_rate=48000:duration=$seconds" \
            -c:v libx264 -bf 0 -g 30 -pix_fmt yuv420p -c:a pcm_s16le -ac 2
    done
    "$bin/MediaKit" merge "$movies/merged.mov" "$movies/one.mov" "$movies/two.mov" || failures=$((failures + 1))
    expect "merged.mov" "$(numbers "$movies/merged.mov" v:0 stream=codec_name,width,height,nb_read_frames)" \
        "h264 640 360 $((2 * seconds * 30))"
    near "  its length" "$(numbers "$movies/merged.mov" v:0 format=duration)" $((2 * seconds)) 0.05
    near "  its audio" "$(numbers "$movies/merged.mov" a:0 stream=duration)" $((2 * seconds)) 0.05
    make_movie tone.wav -f lavfi -i sine=frequency=440:sample_rate=48000:duration=3 -c:a pcm_s16le -ac 2
    "$bin/MediaKit" appleLossless "$movies/lossless.m4a" "$movies/tone.wav" || failures=$((failures + 1))
    expect "lossless.m4a" "$(numbers "$movies/lossless.m4a" a:0 stream=codec_name,sample_rate,channels)" "alac 48000 2"
    expect "  its samples" "$(pcm "$movies/lossless.m4a")" "$(pcm "$movies/tone.wav")"
    "$bin/MediaKit" aac "$movies/encoded.m4a" "$movies/tone.wav" || failures=$((failures + 1))
    expect "encoded.m4a" "$(numbers "$movies/encoded.m4a" a:0 stream=codec_name,sample_rate,channels)" "aac 48000 2"
    near "  its length" "$(numbers "$movies/encoded.m4a" a:0 stream=duration)" 3 0.05
}

# Arithmetic of times and ranges, and a movie without one second of it.
cabbage() {
    local lines out=$movies/without.mov
    make_movie whole.mov -f lavfi -i testsrc2=s=640x360:r=30:d=4 -c:v libx264 -pix_fmt yuv420p
    lines=$("$bin/Cabbage" "$movies/whole.mov" "$out") || failures=$((failures + 1))
    expect "times" "$(sed -n 's/^times //p' <<<"$lines")" "3.0 0.75 0.75 600"
    expect "comparisons" "$(sed -n 's/^compared //p' <<<"$lines")" "true true true true"
    expect "a range in another" "$(sed -n 's/^slices //p' <<<"$lines")" "0.0-1.0 1.0-3.0 3.0-4.0"
    expect "ranges that overlap" "$(sed -n 's/^overlap //p' <<<"$lines")" "0.0-2.0 2.0-3.0 3.0-5.0"
    expect "a range without another" "$(sed -n 's/^left //p' <<<"$lines")" "0.0-1.0 2.0-4.0"
    expect "$(basename "$out")" "$(numbers "$out" v:0 stream=codec_name,width,height,nb_read_frames)" "h264 640 360 90"
    near "  its length" "$(numbers "$out" v:0 format=duration)" 3 0.05
}

# Frames that are encoded, written as packets, and decoded again.
transcoding() {
    local lines seconds=2 out=$movies/packets.mov
    make_movie frames.mov -f lavfi -i "testsrc2=s=640x360:r=30:d=$seconds" -c:v libx264 -pix_fmt yuv420p
    lines=$("$bin/Transcoding" "$movies/frames.mov" "$out") || failures=$((failures + 1))
    expect "packets" "$(sed -n 's/^packets //p' <<<"$lines")" $((seconds * 30))
    expect "frames of them" "$(sed -n 's/^frames //p' <<<"$lines")" "$((seconds * 30)) 640x360"
    expect "$(basename "$out")" "$(numbers "$out" v:0 stream=codec_name,width,height,nb_read_frames)" \
        "h264 640 360 $((seconds * 30))"
    near "  its length" "$(numbers "$out" v:0 format=duration)" $seconds 0.05
}

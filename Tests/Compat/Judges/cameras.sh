# shellcheck shell=bash
# shellcheck disable=SC2154 # bin, movies and failures are set where this is sourced
# Runs the programs that record cameras and microphones, and judges the results (scripts/compat). The function of a
# program has the name of its driver, in lower case.

# The frames and audio of a movie, given to the program as a camera and a microphone would: two clips, a still of each,
# and the merged movie.
nextlevel() {
    local lines clip source=$movies/filmed.mov out=$movies/clips.mp4
    make_movie filmed.mov -f lavfi -i testsrc2=s=640x352:r=30:d=4 \
        -f lavfi -i sine=frequency=440:sample_rate=44100:duration=4 \
        -c:v libx264 -pix_fmt yuv420p -c:a pcm_s16le -ac 2
    lines=$("$bin/NextLevel" "$source" "$out") || failures=$((failures + 1))
    expect "clips" "$(grep -c '^clip ' <<<"$lines")" 2
    while read -r clip; do
        expect "$(basename "$clip")" "$(numbers "$clip" v:0 stream=codec_name,width,height)" "h264 640 352"
        near "  its frames" "$(numbers "$clip" v:0 stream=nb_read_frames)" 60 1
        near "  its audio" "$(numbers "$clip" a:0 stream=duration)" 2 0.1
        expect "  the program in its metadata" "$(numbers "$clip" v:0 format_tags | grep -c NextLevel)" 1
    done < <(sed -n 's/^clip //p' <<<"$lines")
    expect "width of the first and the last frame" \
        "$(grep -E '^(first|last) ' <<<"$lines" | sort -u | tr '\n' ' ')" "first 640 last 640 "
    near "frame rate" "$(sed -n 's/^rate //p' <<<"$lines" | head -1)" 30 0.1
    near "length of the session" "$(sed -n 's/^total //p' <<<"$lines")" 4 0.1
    expect "$(basename "$out")" "$(numbers "$out" v:0 stream=codec_name,width,height)" "h264 640 352"
    near "  its frames" "$(numbers "$out" v:0 stream=nb_read_frames)" 120 2
    near "  its audio" "$(numbers "$out" a:0 stream=duration)" 4 0.15
}

# Three seconds of the test camera.
solderscope() {
    local lines out=$movies/microscope.mov
    lines=$("$bin/SolderScope" "$out") || failures=$((failures + 1))
    expect "format of the camera" "$(sed -n 's/^format //p' <<<"$lines")" 1920x1080@60
    expect "state of the camera" "$(sed -n 's/^connected //p' <<<"$lines")" "true, frames true"
    expect "$(basename "$out")" "$(numbers "$out" v:0 stream=codec_name,width,height)" "h264 640 360"
    expect "  more than 30 frames" "$(($(numbers "$out" v:0 stream=nb_read_frames) > 30))" 1
    near "  its length" "$(numbers "$out" v:0 format=duration)" 3 1
}

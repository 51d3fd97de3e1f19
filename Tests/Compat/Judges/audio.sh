# shellcheck shell=bash
# shellcheck disable=SC2154 # bin, movies and failures are set where this is sourced
# Runs the programs that read and write audio, and judges the results (scripts/compat). The function of a program has the
# name of its driver, in lower case.

waveform() {
    local lines
    make_movie tone.m4a -f lavfi -i "aevalsrc='if(gte(t,1),0.5*sin(2*PI*440*t),0)':s=44100:d=2" -c:a aac
    lines=$("$bin/Waveform" "$movies/tone.m4a" 20)
    near "samples of the tone" "$(sed -n 's/^samples //p' <<<"$lines")" 88200 2100
    expect "the first samples" "$(sed -n 's/^first //p' <<<"$lines")" 1000
    near "loudness before it" "$(sed -n 7p <<<"$lines")" 0 0.01
    near "loudness of it" "$(sed -n 17p <<<"$lines")" 0.318 0.03
}

# crossings ARGUMENT…: how often the first channel of FFmpeg's input changes its sign. FFmpeg 5.1 decodes AAC past the
# end of the edit list, so a file needs -t before -i.
crossings() { ffmpeg -hide_banner "$@" -af astats -f null - 2>&1 | awk '/Zero crossings:/ && !n++ { print $NF }'; }

# Audio in every kind of file that the program writes, with other rates, depths and channels. Each line has the source,
# the result, its rate, depth and channels (0: those of the source), and what ffprobe says of it.
audiokit() {
    local seconds=2 line source name rate bits channels wanted
    make_movie sine.wav -f lavfi -i "sine=frequency=440:sample_rate=44100:duration=$seconds" -ac 2 -c:a pcm_s16le
    for line in \
        "sine.wav sine.aif 0 0 0 pcm_s16be 44100 2" \
        "sine.wav sine.caf 0 0 0 pcm_s16le 44100 2" \
        "sine.wav sine-24.wav 0 24 0 pcm_s24le 44100 2" \
        "sine.wav sine-48.wav 48000 16 0 pcm_s16le 48000 2" \
        "sine.wav sine-mono.wav 0 16 1 pcm_s16le 44100 1" \
        "sine.wav sine.m4a 0 0 0 aac 44100 2" \
        "sine.m4a decoded.wav 0 0 0 pcm_s16le 44100 2" \
        "sine.m4a again.m4a 48000 0 0 aac 48000 2"; do
        read -r source name rate bits channels wanted <<<"$line"
        "$bin/AudioKit" "$movies/$source" "$movies/$name" "$rate" "$bits" "$channels" || failures=$((failures + 1))
        expect "$name" "$(numbers "$movies/$name" a:0 stream=codec_name,sample_rate,channels)" "$wanted"
        near "  its length" "$(numbers "$movies/$name" a:0 format=duration)" "$seconds" 0.1
        near "  its tone" "$(crossings -t "$seconds" -i "$movies/$name")" $((seconds * 880)) 30
    done
    for name in sine.aif sine.caf sine-24.wav; do
        expect "samples of $name" "$(pcm "$movies/$name")" "$(pcm "$movies/sine.wav")"
    done
}

# A file with two channels and one with six, which the program mixes itself, and the track of a movie.
fluidaudio() {
    local line kind source out seconds=2
    make_movie stereo.wav -f lavfi -i "sine=frequency=440:sample_rate=44100:duration=$seconds" -ac 2 -c:a pcm_s16le
    make_movie surround.wav -f lavfi -i "sine=frequency=440:sample_rate=48000:duration=$seconds" \
        -af "pan=5.1|FL=c0|FR=c0|FC=c0|LFE=c0|BL=c0|BR=c0" -c:a pcm_s16le
    make_movie spoken.mov -f lavfi -i "testsrc2=s=160x120:r=30:d=$seconds" \
        -f lavfi -i "sine=frequency=440:sample_rate=48000:duration=$seconds" \
        -c:v libx264 -pix_fmt yuv420p -c:a aac -ac 2
    for line in "file stereo.wav" "file surround.wav" "track spoken.mov"; do
        read -r kind source <<<"$line"
        out=$movies/speech-${source%.*}.wav
        "$bin/FluidAudio" "$kind" "$movies/$source" "$out" || failures=$((failures + 1))
        expect "$(basename "$out")" "$(numbers "$out" a:0 stream=codec_name,sample_rate,channels)" "pcm_s16le 16000 1"
        near "  its length" "$(numbers "$out" a:0 format=duration)" "$seconds" 0.1
        near "  its tone" "$(crossings -i "$out")" $((seconds * 880)) 30
    done
}

# The formats that libopus takes; the program's encoder and decoder, which need libopus itself, are not compiled.
swiftopus() {
    expect "formats" "$("$bin/SwiftOpus")" "int16 8000 1 5760
int16 8000 2 5760
int16 48000 1 5760
int16 48000 2 5760
float32 8000 1 5760
float32 8000 2 5760
float32 48000 1 5760
float32 48000 2 5760
deinterleaved false
deep false"
}

# The audio of a movie as the numbers that a model takes.
mlxaudio() {
    local seconds=2 lines
    make_movie asked.mov -f lavfi -i "testsrc2=s=160x120:r=30:d=$seconds" \
        -f lavfi -i "sine=frequency=440:sample_rate=44100:duration=$seconds" \
        -c:v libx264 -pix_fmt yuv420p -c:a aac -ac 2
    lines=$("$bin/MLXAudio" "$movies/asked.mov" "$movies/asked.raw") || failures=$((failures + 1))
    near "samples" "$(sed -n 's/^samples //p' <<<"$lines")" $((seconds * 16000)) 800
    near "  their tone" "$(crossings -f f32le -ar 16000 -ac 1 -i "$movies/asked.raw")" $((seconds * 880)) 30
}

extension InputMatrix {
    /// Audio files of more than ten kinds: those of `files`, and others that no movie test needs.
    public static let audioFiles: [InputFile] = files.filter { $0.video.isEmpty && !$0.audio.isEmpty } + moreAudio

    private static let moreAudio: [InputFile] = [
        InputFile("pcm-f64.wav", "{t} -c:a pcm_f64le", [], [.init("pcm_f64le")]),
        InputFile("pcm-s16-rf64.wav", "{t} -ac 2 -c:a pcm_s16le -rf64 always", [], [.init("pcm_s16le", channels: 2)]),
        InputFile("a-law.wav", "{t} -ar 8000 -c:a pcm_alaw", [], [.init("pcm_alaw", sampleRate: 8000)]),
        InputFile("adpcm-ms.wav", "{u} -ac 2 -c:a adpcm_ms", [], [.init("adpcm_ms", channels: 2, sampleRate: 44_100)]),
        InputFile(
            "pcm-s24.aiff", "{u} -ac 2 -c:a pcm_s24be", [], [.init("pcm_s24be", channels: 2, sampleRate: 44_100)]),
        InputFile("pcm-f32.aiff", "{t} -c:a pcm_f32be", [], [.init("pcm_f32be")]),
        InputFile("pcm-s16le.aiff", "{t} -c:a pcm_s16le", [], [.init("pcm_s16le")]),
        InputFile("pcm-s16.caf", "{t} -ac 2 -c:a pcm_s16le", [], [.init("pcm_s16le", channels: 2)]),
        InputFile("pcm-f32.caf", "{5.1} -c:a pcm_f32be", [], [.init("pcm_f32be", channels: 6)]),
        InputFile("pcm-s16.au", "{t} -ac 2 -c:a pcm_s16be", [], [.init("pcm_s16be", channels: 2)]),
        InputFile("mu-law.au", "{t} -ar 8000 -c:a pcm_mulaw", [], [.init("pcm_mulaw", sampleRate: 8000)]),
        InputFile("flac-24.flac", "{u} -c:a flac -sample_fmt s32", [], [.init("flac", sampleRate: 44_100)]),
        InputFile("flac.oga", "{t} -ac 2 -c:a flac -f ogg", [], [.init("flac", channels: 2)]),
        InputFile("mp3-mono.mp3", "{t} -c:a libmp3lame -q:a 4", [], [.init("mp3")]),
        InputFile("mp3-low.mp3", "{t} -ar 22050 -c:a libmp3lame", [], [.init("mp3", sampleRate: 22_050)]),
        InputFile("opus.opus", "{t} -ac 2 -c:a libopus", [], [.init("opus", channels: 2)]),
        InputFile("ac3.ac3", "{5.1} -c:a ac3", [], [.init("ac3", channels: 6)]),
        InputFile("eac3.eac3", "{t} -ac 2 -c:a eac3", [], [.init("eac3", channels: 2)]),
        InputFile("pcm.mka", "{t} -ac 2 -c:a pcm_s16le", [], [.init("pcm_s16le", channels: 2)]),
        InputFile("alac-24.m4a", "{t} -ac 2 -sample_fmt s32p -c:a alac", [], [.init("alac", channels: 2)]),
    ]
}

extension InputMatrix {
    /// Files that are read. `{p}` is a second of moving video, `{t}` a second of a tone, `{name}` another file of the
    /// matrix.
    static let made: [InputFile] = quickTime + otherContainers + pixels + times + facts + audio

    /// The codecs of QuickTime's family.
    private static let quickTime: [InputFile] = [
        InputFile("h264-aac.mov", "{p} {t} -c:v libx264 -pix_fmt yuv420p -c:a aac", [.h264], [.aac]),
        InputFile(
            "h264-aac.mp4", "{p} {t} -c:v libx264 -bf 0 -pix_fmt yuv420p -c:a aac -movflags faststart", [.h264], [.aac]),
        InputFile(
            "h264-fragmented.mp4",
            "{p} {t} -c:v libx264 -g 10 -pix_fmt yuv420p -c:a aac -movflags frag_keyframe+empty_moov", [.h264], [.aac]),
        InputFile("h264-alone.mov", "{p} -c:v libx264 -pix_fmt yuv420p", [.h264], []),
        InputFile(
            "h264-open-gop.mov", "{p} -c:v libx264 -pix_fmt yuv420p -x264-params open-gop=1:keyint=8:bframes=3",
            [.h264],
            []),
        InputFile("hevc.mp4", "{p} -c:v libx265 -x265-params log-level=none -tag:v hvc1", [.init("hevc")], []),
        InputFile("prores.mov", "{p} -c:v prores_ks", [.init("prores", depth: 10, chroma: "4:2:2")], []),
        InputFile(
            "prores-4444.mov", "{p} -c:v prores_ks -profile:v 4444 -pix_fmt yuva444p10le",
            [.init("prores", depth: 12, chroma: "4:4:4")], []),
        InputFile(
            "dnxhr.mov", "{big} {t} -c:v dnxhd -profile:v dnxhr_lb -pix_fmt yuv422p -c:a pcm_s16le",
            [.init("dnxhd", width: 256, height: 128, chroma: "4:2:2")], [.init("pcm_s16le")]),
        InputFile(
            "mjpeg.mov", "{p} -c:v mjpeg -pix_fmt yuvj422p", [.init("mjpeg", chroma: "4:2:2", isFullRange: true)], []),
        InputFile("mpeg4.mp4", "{p} {t} -c:v mpeg4 -c:a libmp3lame", [.init("mpeg4")], [.init("mp3")]),
        InputFile("mpeg2.mov", "{p} -c:v mpeg2video -bf 2", [.init("mpeg2video", fields: "progressive")], []),
        InputFile("av1.mp4", "{p} -c:v libaom-av1 -usage realtime -cpu-used 8", [.init("av1")], []),
        InputFile("vp9.mp4", "{p} -c:v libvpx-vp9 -deadline realtime -cpu-used 8", [.init("vp9")], []),
        InputFile(
            "gstreamer.mov", gst: "openh264enc ! h264parse ! qtmux", [.h264], []),
    ]

    private static let otherContainers: [InputFile] = [
        InputFile("h264-aac.mkv", "{p} {t} -c:v libx264 -pix_fmt yuv420p -c:a aac", [.h264], [.aac]),
        InputFile("h264-aac.ts", "{p} {t} -c:v libx264 -pix_fmt yuv420p -c:a aac", [.h264], [.aac]),
        InputFile(
            "h264-ac3.mts", "{p} {t} -c:v libx264 -pix_fmt yuv420p -c:a ac3 -mpegts_m2ts_mode 1", [.h264],
            [.init("ac3")]),
        InputFile(
            "h264-mp3.avi", "{p} {t} -c:v libx264 -bf 0 -pix_fmt yuv420p -c:a libmp3lame", [.h264], [.init("mp3")]),
        InputFile("mpeg4-pcm.avi", "{p} {t} -c:v mpeg4 -c:a pcm_s16le", [.init("mpeg4")], [.init("pcm_s16le")]),
        InputFile(
            "mjpeg.avi", "{p} -c:v mjpeg -pix_fmt yuvj420p", [.init("mjpeg", isFullRange: true)], []),
        InputFile(
            "mpeg2-mp2.ts", "{p} {t} -c:v mpeg2video -bf 2 -c:a mp2", [.init("mpeg2video", fields: "progressive")],
            [.init("mp2")]),
        InputFile(
            "vp8-vorbis.webm", "{p} {t} -c:v libvpx -deadline realtime -cpu-used 8 -c:a libvorbis", [.init("vp8")],
            [.init("vorbis")]),
        InputFile(
            "vp9-opus.webm", "{p} {t} -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -c:a libopus", [.init("vp9")],
            [.init("opus")]),
        InputFile(
            "h264-aac.flv", "{p} {t} -c:v libx264 -pix_fmt yuv420p -c:a aac", [.h264], [.aac]),
        InputFile("mpeg1.mpg", "{p} {t} -c:v mpeg1video -c:a mp2", [.init("mpeg1video")], [.init("mp2")]),
        InputFile(
            "mpeg2.mxf", "{p} {t} -c:v mpeg2video -pix_fmt yuv422p -c:a pcm_s16le",
            [.init("mpeg2video", chroma: "4:2:2")], [.init("pcm_s16le")], timecode: "00:00:00:00"),
        InputFile("wmv2.asf", "{p} {t} -c:v wmv2 -c:a wmav2", [.init("wmv2")], [.init("wmav2")]),
        InputFile("theora.ogg", "{p} {t} -c:v libtheora -c:a libvorbis", [.init("theora")], [.init("vorbis")]),
        InputFile("gstreamer.mkv", gst: "vp8enc deadline=1 ! matroskamux", [.init("vp8")], []),
    ]

    /// Depths, samplings, shapes.
    private static let pixels: [InputFile] = [
        InputFile("h264-10.mp4", "{p} -c:v libx264 -pix_fmt yuv420p10le", [.init("h264", depth: 10)], []),
        InputFile("h264-422.mkv", "{p} -c:v libx264 -pix_fmt yuv422p", [.init("h264", chroma: "4:2:2")], []),
        InputFile("h264-444.mov", "{p} -c:v libx264 -pix_fmt yuv444p", [.init("h264", chroma: "4:4:4")], []),
        InputFile(
            "h264-422-10.mov", "{p} -c:v libx264 -pix_fmt yuv422p10le", [.init("h264", depth: 10, chroma: "4:2:2")], []),
        InputFile(
            "hevc-10.mkv", "{p} -c:v libx265 -x265-params log-level=none -pix_fmt yuv420p10le",
            [.init("hevc", depth: 10)], []),
        InputFile(
            "h264-full.mp4",
            "{p} -vf \(ColorTags.bt709) -c:v libx264 -pix_fmt yuvj420p",
            [.init("h264", isFullRange: true)], []),
        InputFile(
            "h264-interlaced.mov", "{p} -vf setfield=tff -c:v libx264 -flags +ilme+ildct -pix_fmt yuv420p",
            [.init("h264", fields: "upperFirst")], []),
        InputFile(
            "anamorphic.mov", "{p} -vf setsar=4/3 -c:v libx264 -pix_fmt yuv420p", [.init("h264", aspect: "4:3")], []),
        InputFile(
            "anamorphic.mkv", "{p} -vf setsar=16/15 -c:v libx264 -pix_fmt yuv420p", [.init("h264", aspect: "16:15")], []
        ),
        InputFile(
            "odd.webm", "{p} -vf scale=97:63,setsar=1 -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -pix_fmt yuv420p",
            [.init("vp9", width: 97, height: 63)], []),
        InputFile(
            "dv-411.mov", "{ntsc} -c:v dvvideo -pix_fmt yuv411p",
            [.init("dvvideo", width: 720, height: 480, frames: 10, rate: 30000 / 1001, chroma: "4:1:1")],
            []),
        InputFile(
            "ffv1-gray10.mkv", "{p} -c:v ffv1 -pix_fmt gray10le", [.init("ffv1", depth: 10, chroma: "4:0:0")], []),
        InputFile(
            "ffv1-440.mkv", "{p} -c:v ffv1 -pix_fmt yuv440p12le", [.init("ffv1", depth: 12, chroma: "4:4:0")], []),
        InputFile("ffv1-gbrp.mkv", "{p} -c:v ffv1 -pix_fmt gbrp10le", [.init("ffv1", depth: 10, chroma: nil)], []),
        InputFile("png-palette.mov", "{p} -c:v png -pix_fmt pal8", [.init("png", chroma: nil)], []),
        InputFile("raw-bgr.avi", "{p} -c:v rawvideo -pix_fmt bgr24", [.init("rawvideo", chroma: nil)], []),
    ]

    /// Edit lists, offsets, rates.
    private static let times: [InputFile] = [
        InputFile(
            "late-audio.mov", "{p} -itsoffset 0.5 {t} -c:v libx264 -pix_fmt yuv420p -c:a aac", [.h264],
            [.init("aac", start: 0.478)]),
        InputFile(
            "late-video.mp4",
            "{t} -itsoffset 0.4 {p} -map 1 -map 0 -fps_mode passthrough -c:v libx264 -bf 0 -pix_fmt yuv420p -c:a aac",
            [.init("h264", start: 0.4)], [.aac]),
        InputFile("trimmed.mov", "-ss 0.5 {h264-aac.mov} -c copy", [.init("h264", frames: nil)], [.aac]),
        InputFile(
            "variable-rate.mp4", "{p} -vf select=lt(n\\,8)+not(mod(n\\,3)) -fps_mode vfr -c:v libx264 -pix_fmt yuv420p",
            [.init("h264", frames: 14, rate: nil)], []),
        InputFile(
            "ntsc.mov", "{ntsc} -c:v libx264 -pix_fmt yuv420p",
            [.init("h264", width: 720, height: 480, frames: 10, rate: 30000 / 1001)], []),
    ]

    /// Metadata of tracks and movies. FFmpeg writes languages with the codes of ISO 639-2/B.
    private static let facts: [InputFile] = [
        InputFile(
            "turned-90.mov", "{h264-aac.mov} -c copy", clockwise: 90, [.init("h264", rotation: 90)], [.aac]),
        InputFile(
            "turned-180.mp4", "{h264-aac.mp4} -c copy", clockwise: 180, [.init("h264", rotation: 180)], [.aac]),
        InputFile(
            "turned-270.mov", "{h264-alone.mov} -c copy", clockwise: 270, [.init("h264", rotation: 270)], []),
        InputFile(
            "turned-90.mkv", "{h264-alone.mov} -c copy -metadata:s:v ROTATE=90", [.init("h264", rotation: 90)], []),
        InputFile(
            "two-languages.mov",
            "{p} {t} {u} -map 0 -map 1 -map 2 -c:v libx264 -pix_fmt yuv420p -c:a aac -metadata:s:a:0 language=ger -metadata:s:a:1 language=fra",
            [.h264], [.init("aac", language: "deu"), .init("aac", sampleRate: 44_100, language: "fra")]),
        InputFile(
            "chapters.mov", "{h264-aac.mov} -i {chapters} -map 0 -map_metadata 1 -map_chapters 1 -c copy", [.h264],
            [.aac],
            chapters: ["One", "Two"]),
        InputFile(
            "chapters.mkv", "{h264-aac.mov} -i {chapters} -map 0 -map_metadata 1 -map_chapters 1 -c copy", [.h264],
            [.aac],
            chapters: ["One", "Two"]),
        InputFile(
            "timecode.mov", "{p} -c:v libx264 -pix_fmt yuv420p -timecode 10:00:00:00", [.h264], [],
            timecode: "10:00:00:00"),
    ]

    private static let audio: [InputFile] = [
        InputFile("pcm-s16.wav", "{t} -c:a pcm_s16le", [], [.init("pcm_s16le")]),
        InputFile("pcm-s24.wav", "{u} -c:a pcm_s24le", [], [.init("pcm_s24le", sampleRate: 44_100)]),
        InputFile("pcm-f32.wav", "{t} -c:a pcm_f32le", [], [.init("pcm_f32le")]),
        InputFile("pcm-u8.wav", "{t} -c:a pcm_u8", [], [.init("pcm_u8")]),
        InputFile("mu-law.wav", "{t} -ar 8000 -c:a pcm_mulaw", [], [.init("pcm_mulaw", sampleRate: 8000)]),
        InputFile("pcm-7.1.wav", "{7.1} -c:a pcm_s16le", [], [.init("pcm_s16le", channels: 8)]),
        InputFile("pcm-s16be.mov", "{t} -c:a pcm_s16be", [], [.init("pcm_s16be")]),
        InputFile("aac.m4a", "{t} -c:a aac", [], [.aac]),
        InputFile("aac-5.1.m4a", "{5.1} -c:a aac", [], [.init("aac", channels: 6)]),
        InputFile("alac.m4a", "{u} -c:a alac", [], [.init("alac", sampleRate: 44_100)]),
        InputFile("mp3.mp3", "{u} -ac 2 -c:a libmp3lame", [], [.init("mp3", channels: 2, sampleRate: 44_100)]),
        InputFile("flac.flac", "{5.1} -c:a flac", [], [.init("flac", channels: 6)]),
        InputFile("vorbis.ogg", "{u} -ac 2 -c:a libvorbis", [], [.init("vorbis", channels: 2, sampleRate: 44_100)]),
        InputFile("opus.ogg", "{t} -c:a libopus", [], [.init("opus")]),
        InputFile("pcm-s16.aiff", "{t} -c:a pcm_s16be", [], [.init("pcm_s16be")]),
        InputFile("alac.caf", "{t} -c:a alac", [], [.init("alac")]),
        InputFile("pcm-s32.w64", "{t} -c:a pcm_s32le", [], [.init("pcm_s32le")]),
        InputFile("adpcm.wav", "{t} -c:a adpcm_ima_wav", [], [.init("adpcm_ima_wav")]),
        InputFile("aac.aac", "{t} -c:a aac", [], [.aac]),
    ]
}

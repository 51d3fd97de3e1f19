import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

/// Tests of sample descriptions of media stored as it is, and of the properties that all video can have.
@Suite struct SampleDescriptionTests {
    /// A finalized movie with one sample.
    private func movie(
        _ format: FormatDescription, _ data: [UInt8], fileType: FileType = .mov, samples: Int = 1, rate: Int32 = 25
    ) throws -> [UInt8] {
        let storage = MemoryStorage()
        let track = MovieTrack(id: 1, mediaType: format.mediaType, format: format, timeScale: rate)
        let writer = MovieFileWriter(
            storage: storage, fileType: fileType, timeScale: 1000, creationTime: 0, metadata: [], tracks: [track],
            sessionStart: .zero)
        try writer.writeFragment([
            TrackSample(
                track: 0,
                sample: SampleBuffer(
                    format: format, content: .data(MediaData(data)), presentationTime: .zero,
                    duration: MediaTime(value: Int64(samples), timescale: rate), sampleCount: samples))
        ])
        try MovieFinisher.finish(storage)
        return storage.bytes
    }

    private func decoded(_ path: String, _ arguments: String...) throws -> [UInt8] {
        let result = try Command.run(["ffmpeg", "-v", "warning", "-xerror", "-i", path] + arguments + ["-"])
        guard result.status == 0, result.errors.isEmpty else { throw Command.Failure(description: result.errors) }
        return Array(result.output)
    }

    @Test(arguments: PCMSampleFormat.allCases, [1, 2, 6])
    func pcm_anyFormat_isReadBackBitForBit(pcm: PCMSampleFormat, channels: Int) throws {
        let format = AudioFormat(
            pcm: pcm, sampleRate: 96_000, channelCount: channels, layout: channels == 6 ? .surround51 : nil)
        let data: [UInt8] =
            switch pcm {
            case .float32:
                (0..<(480 * channels)).flatMap { index in withUnsafeBytes(of: Float(index) / 4096) { Array($0) } }
            case .float64:
                (0..<(480 * channels)).flatMap { index in withUnsafeBytes(of: Double(index) / 4096) { Array($0) } }
            case .s8, .s16, .s24, .s32: SyntheticMedia.noise(480 * channels * pcm.byteCount)
            }
        let names: [PCMSampleFormat: String] = [.s8: "pcm_s8", .float32: "pcm_f32le", .float64: "pcm_f64le"]
        let bytes = try movie(.audio(format), data, samples: 480, rate: 96_000)
        try judge(bytes) { path in
            let codec = names[pcm] ?? "pcm_\(pcm.rawValue)le"
            let stream = try #require(try Probe(path).audio)
            #expect(stream.codecName == codec && stream.channels == channels && stream.sampleRate == "96000")
            #expect(try decoded(path, "-f", String(codec.dropFirst(4)), "-c:a", codec) == data)
            let layout = try Judges.ffprobe(path)["streams"][0]["channel_layout"].text
            #expect(layout == (channels == 1 ? "mono" : channels == 2 ? "stereo" : "5.1"))
            let found = try Judges.mediainfo(path).first(where: "@type", is: "Audio")
            #expect(found["Format"].text == "PCM" && found["BitDepth"].number == Double(pcm.byteCount * 8))
            #expect(found["Channels"].number == Double(channels))
            if channels == 2 { #expect(try Judges.gstreamer(path).contains("rate=(int)96000")) }
        }
    }

    @Test(arguments: ChannelLayout.allCases)
    func pcm_anyChannelLayout_isNamed(layout: ChannelLayout) throws {
        let format = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: layout.channelCount, layout: layout)
        let bytes = try movie(
            .audio(format), SyntheticMedia.noise(96 * layout.channelCount), samples: 48, rate: 48_000)
        try judge(bytes) { path in
            let found = try Judges.ffprobe(path)["streams"][0]["channel_layout"].text
            #expect(found == layout.rawValue)
        }
    }

    @Test(arguments: [
        (PixelFormat.uyvy, "uyvy422"), (.yuyv, "yuyv422"), (.bgra, "bgra"), (.argb, "argb"), (.rgba, "rgba"),
        (.rgb24, "rgb24"),
    ])
    func rawVideo_anyPixelFormat_isReadBackBitForBit(format: PixelFormat, name: String) throws {
        let layout = PixelLayout(format: format, width: 16, height: 8)
        let data = SyntheticMedia.noise(layout.byteCount)
        let video = FormatDescription.video(VideoFormat(pixelFormat: format, width: 16, height: 8))
        try judge(movie(video, data)) { path in
            let found = try decoded(path, "-f", "rawvideo", "-pix_fmt", name)
            #expect(found == data)
        }
    }

    private let stillFrame: [UInt8] = [0xFF, 0xD8, 0xFF, 0xD9]

    private func described(_ video: VideoFormat, fileType: FileType = .mov) throws -> Atom {
        let bytes = try movie(.video(video), stillFrame, fileType: fileType)
        var writer = AtomWriter()
        let start = try #require(bytes.firstRange(of: Array("stsd".utf8))).lowerBound - 4
        writer.raw(bytes[start...])
        let size = writer.bytes[0..<4].reduce(0) { $0 << 8 | Int($1) }
        // The extensions follow 16 + 86 bytes of `stsd` and entry.
        return Atom(
            "", children: Atom(parsing: AtomWriter.build("moov") { $0.raw(writer.bytes[102..<size]) })?.children ?? [])
    }

    @Test func color_range_isStoredOnlyInMPEG4() throws {
        var video = VideoFormat(codec: .h264, width: 64, height: 48, color: .bt709, decoderConfiguration: [1, 2, 3])
        video.color.isFullRange = true
        #expect(try described(video)["colr"]?.payload == Array("nclc".utf8) + [0, 1, 0, 1, 0, 1])
        #expect(try described(video, fileType: .mp4)["colr"]?.payload == Array("nclx".utf8) + [0, 1, 0, 1, 0, 1, 0x80])
        video.color = ColorDescription()
        #expect(try described(video)["colr"] == nil && described(video, fileType: .mp4)["colr"] == nil)
    }

    @Test func video_fieldsPixelAspectRatioAndCleanAperture_areStored() throws {
        let video = VideoFormat(
            codec: .mjpeg, width: 64, height: 48, pixelAspectRatio: Ratio(16, 11),
            cleanAperture: CleanAperture(width: 60, height: 40, horizontalOffset: -1, verticalOffset: 2),
            fieldOrder: .lowerFirst)
        let entry = try described(video)
        #expect(entry["fiel"]?.payload == [2, 6])
        #expect(entry["pasp"]?.payload == [0, 0, 0, 16, 0, 0, 0, 11])
        #expect(
            entry["clap"]?.payload == [
                0, 0, 0, 60, 0, 0, 0, 1, 0, 0, 0, 40, 0, 0, 0, 1, 255, 255, 255, 255, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0,
                1,
            ])
    }

    @Test(arguments: [
        (FieldOrder.progressive, "progressive"), (.upperFirst, "tt"), (.lowerFirst, "bb"),
        (.lowerFirstInterleaved, "tb"), (.upperFirstInterleaved, "bt"),
    ])
    func video_fieldOrder_isReadByFFmpeg(order: FieldOrder, name: String) throws {
        let video = VideoFormat(codec: .proRes, width: 64, height: 48, codecTag: "apch", fieldOrder: order)
        try judge(movie(.video(video), stillFrame)) { path in
            let result = try Probe.ask(path, as: "default", level: "quiet", options: ["-show_streams"])
            #expect(result.text.contains("field_order=\(name)\n"))
        }
    }

    /// The record of VP9 has the profile, the level, and a byte with the bit depth and the chroma resolution.
    @Test(
        arguments: [
            (8, StoredPixels.Chroma.yuv420, 0, 0x82), (8, .yuv444, 1, 0x86), (8, .yuv440, 1, 0x82),
            (10, .yuv420, 2, 0xA2), (12, .yuv422, 3, 0xC4),
        ] as [(Int, StoredPixels.Chroma, UInt8, UInt8)])
    func video_vp9WithoutARecord_isDescribedByItsPixels(
        depth: Int, chroma: StoredPixels.Chroma, profile: UInt8, form: UInt8
    ) throws {
        let pixels = StoredPixels(name: "", bitDepth: depth, chroma: chroma, isRGB: false, hasAlpha: false)
        let video = VideoFormat(codec: .vp9, width: 64, height: 48, storedPixels: pixels)
        #expect(try described(video)["vpcC"]?.payload.prefix(7) == [1, 0, 0, 0, profile, 0, form])
    }

    @Test func video_decoderConfiguration_hasTheAtomOfItsCodec() throws {
        func types(_ codec: VideoCodec, _ tag: FourCharCode? = nil, _ type: FileType = .mov) throws -> [FourCharCode] {
            try described(
                VideoFormat(codec: codec, width: 64, height: 48, decoderConfiguration: [1, 2, 3, 4], codecTag: tag),
                fileType: type
            ).children.map(\.type)
        }
        #expect(try types(.h264).contains("avcC") && types(.h264, "avc3").contains("avcC"))
        #expect(try types(.hevc).contains("hvcC") && types(.hevc, "hev1").contains("hvcC"))
        #expect(try types(.av1).contains("av1C") && types(.vp9).contains("vpcC") && types(.mpeg4).contains("esds"))
        #expect(try types(VideoCodec(rawValue: "xyz"), "XYZ ").contains("glbl"))
        #expect(try !types(VideoCodec(rawValue: "xyz"), "XYZ ", .mp4).contains("glbl"))
    }

    @Test func format_invalidNumbers_areWrittenWithinBounds() throws {
        let audio = AudioFormat(
            codec: .aac, sampleRate: -5, channelCount: -1, decoderConfiguration: [], framesPerPacket: -1)
        #expect(try !movie(.audio(audio), [1]).isEmpty)
        let pcm = AudioFormat(pcm: .s24, sampleRate: .max, channelCount: .max)
        var writer = AtomWriter()
        SampleDescription.write(.audio(pcm), dialect: .quickTime, into: &writer)
        let timecode = TimecodeFormat(
            frameDuration: .invalid, framesPerSecond: -9, sourceName: String(repeating: "ä", count: 40_000))
        SampleDescription.write(.timecode(timecode), dialect: .quickTime, into: &writer)
        let video = VideoFormat(codec: .h264, width: -1, height: .max, pixelAspectRatio: Ratio(-1, 0))
        SampleDescription.write(.video(video), dialect: .mpeg4, into: &writer)
        #expect(writer.count > 0)
    }
}

import AudioFiles
import Foundation
import MediaTypes
import TestSupport
import Testing

/// Tests of written files, judged by FFmpeg.
@Suite struct AudioFileWriterTests {
    private func write(
        _ url: URL, _ settings: AudioSettings, _ input: AudioFormat, _ pcm: [UInt8], finishes: Bool = true
    ) throws -> any AudioFileWriter {
        let kind = try #require(AudioFileKind(fileExtension: url.pathExtension))
        let writer = try AudioFileWriters.open(url, kind, settings: settings, input: input)
        let step = 1000 * (input.bytesPerFrame ?? 1)
        for start in stride(from: 0, to: pcm.count, by: step) {
            try pcm[start..<min(pcm.count, start + step)].withUnsafeBytes { try writer.write($0) }
        }
        if finishes { try writer.finish() }
        return writer
    }

    static let plain: [(name: String, pcm: PCMSampleFormat, isBig: Bool, codec: String)] = [
        ("a.wav", .s8, false, "pcm_u8"), ("b.wav", .s16, false, "pcm_s16le"), ("c.wav", .s24, false, "pcm_s24le"),
        ("d.wav", .s32, false, "pcm_s32le"), ("e.wav", .float32, false, "pcm_f32le"),
        ("f.wav", .float64, false, "pcm_f64le"), ("g.aiff", .s8, true, "pcm_s8"), ("h.aiff", .s16, true, "pcm_s16be"),
        ("i.aif", .s24, true, "pcm_s24be"), ("j.aifc", .s16, false, "pcm_s16le"),
        ("k.aifc", .float32, true, "pcm_f32be"), ("l.caf", .s16, false, "pcm_s16le"),
        ("m.caf", .s24, true, "pcm_s24be"), ("n.caf", .float32, false, "pcm_f32le"),
    ]

    @Test(arguments: plain.indices) func write_linearPCM_storesEverySample(index: Int) throws {
        let (name, pcm, isBig, codec) = Self.plain[index]
        let directory = try TemporaryDirectory()
        // An odd number of frames, so that files end with an odd byte.
        let samples = (0..<(3 * 3001)).map { Int16(truncatingIfNeeded: $0 &* 7919 << 8) }
        let bytes = samples.withUnsafeBytes { Array($0) }
        let input = AudioFormat(pcm: .s16, sampleRate: 44_100, channelCount: 3, layout: .surround3)
        let settings = AudioSettings(codec: .linearPCM, pcm: pcm, isBigEndian: isBig)
        let writer = try write(directory.file(name), settings, input, bytes)
        #expect(writer.frameCount == 3001)
        let audio = try #require(try Probe(directory.path(name), decodes: true).audio)
        #expect(audio.codecName == codec && audio.channels == 3 && audio.sampleRate == "44100")
        #expect(try Probe.decodedAudio(directory.path(name), as: "s16le") == Data(bytes))
        let reader = try AudioFileReader(url: directory.file(name), pcm: .s16)
        #expect(try reader.countFrames() == 3001)
        #expect(reader.format.layout == .surround3, "\(String(describing: reader.format.layout))")
    }

    @Test(arguments: ["a.flac", "b.m4a", "c.caf"]) func write_lossless_storesEverySample(_ name: String) throws {
        let directory = try TemporaryDirectory()
        let noise = SyntheticMedia.noise(10_001 * 4)
        let input = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 2)
        let settings = AudioSettings(codec: name.hasSuffix("flac") ? .flac : .alac)
        _ = try write(directory.file(name), settings, input, noise)
        #expect(try Probe.decodedAudio(directory.path(name), as: "s16le").prefix(noise.count) == Data(noise))
        let reader = try AudioFileReader(url: directory.file(name), pcm: .s16)
        #expect(try reader.countFrames() == 10_001)
        #expect(directory.names == [name])
    }

    @Test(arguments: ["a.wav", "a.aiff", "a.caf", "a.flac"])
    func write_unusualLoudspeakers_areReadBack(_ name: String) throws {
        let directory = try TemporaryDirectory()
        let input = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 4, layout: .quad)
        let settings = AudioSettings(
            codec: name.hasSuffix("flac") ? .flac : .linearPCM, isBigEndian: name.hasSuffix("aiff"))
        let noise = SyntheticMedia.noise(5000 * 8)
        _ = try write(directory.file(name), settings, input, noise)
        let reader = try AudioFileReader(url: directory.file(name), pcm: .s16)
        #expect(reader.format.layout == .quad, "\(String(describing: reader.format.layout))")
        var read = Data()
        while try reader.read(1000, { read.append(contentsOf: $0) }) > 0 {}
        #expect(read == Data(noise))
    }

    @Test(arguments: [1, 1023, 1024, 44_100, 100_000]) func write_aac_lastsExactlyAsLong(frames: Int) throws {
        let directory = try TemporaryDirectory()
        let tone = (0..<frames).map { Int16(8000 * sin(2 * .pi * 440 * Double($0) / 44_100)) }
        let input = AudioFormat(pcm: .s16, sampleRate: 44_100, channelCount: 1)
        _ = try write(directory.file("a.m4a"), AudioSettings(), input, tone.withUnsafeBytes { Array($0) })
        let reader = try AudioFileReader(url: directory.file("a.m4a"), pcm: .s16)
        #expect(try reader.countFrames() == Int64(frames))
        #expect(reader.format.codec == .aac)
    }

    @Test func write_existingFile_isReplaced() throws {
        let directory = try TemporaryDirectory()
        let input = AudioFormat(pcm: .s16, sampleRate: 8000, channelCount: 1)
        for name in ["a.wav", "a.m4a"] {
            try Data(repeating: 7, count: 100_000).write(to: directory.file(name))
            let settings = AudioSettings(codec: name.hasSuffix("wav") ? .linearPCM : .alac)
            _ = try write(directory.file(name), settings, input, [1, 2, 3, 4])
            #expect(try Probe.decodedAudio(directory.path(name), as: "s16le").prefix(4) == Data([1, 2, 3, 4]))
        }
    }

    @Test(arguments: ["a.wav", "a.m4a"]) func open_existingFileToKeep_isRefused(_ name: String) throws {
        let directory = try TemporaryDirectory()
        let old = Data(repeating: 7, count: 1000)
        try old.write(to: directory.file(name))
        let kind = try #require(AudioFileKind(fileExtension: directory.file(name).pathExtension))
        let error = #expect(throws: MediaError.self) {
            try AudioFileWriters.open(
                directory.file(name), kind, settings: AudioSettings(codec: kind.usualCodec),
                input: AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 1), replacesExisting: false)
        }
        #expect(error?.code == .outputExists)
        #expect(try Data(contentsOf: directory.file(name)) == old && directory.names == [name])
    }

    @Test(arguments: ["a.wav", "a.aiff", "a.caf", "a.flac"])
    func write_neverFinished_isReadableUpToItsEnd(_ name: String) throws {
        let directory = try TemporaryDirectory()
        let noise = SyntheticMedia.noise(40_960)
        let isFLAC = name.hasSuffix("flac")
        let settings = AudioSettings(codec: isFLAC ? .flac : .linearPCM, isBigEndian: name.hasSuffix("aiff"))
        let input = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 1)
        let writer = try write(directory.file(name), settings, input, noise, finishes: false)
        let copy = directory.file("copy-" + name)
        try FileManager.default.copyItem(at: directory.file(name), to: copy)
        let decoded = try Command.run("ffmpeg", "-v", "quiet", "-i", copy.path, "-f", "s16le", "-")
        #expect(decoded.output.count > 30_000 && Data(noise).starts(with: decoded.output))
        try writer.finish()
        try writer.finish()
        let error = #expect(throws: MediaError.self) { try noise.withUnsafeBytes { try writer.write($0) } }
        #expect(error?.code == .invalidState)
    }

    @Test func open_impossibleFormat_isRefusedAndLeavesNothing() throws {
        let directory = try TemporaryDirectory()
        let input = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 2)
        let strange = AudioFormat(
            pcm: .s16, sampleRate: 48_000, channelCount: 2, layout: ChannelLayout([.frontRight, .frontLeft]))
        let cases: [(String, AudioSettings, AudioFormat)] = [
            ("a.wav", AudioSettings(codec: .aac), input), ("a.flac", AudioSettings(codec: .alac), input),
            ("a.caf", AudioSettings(codec: .aac), input), ("a.m4a", AudioSettings(codec: .flac), input),
            ("a.wav", AudioSettings(codec: .linearPCM, isBigEndian: true), input),
            ("a.aiff", AudioSettings(codec: .linearPCM), input),
            ("a.aifc", AudioSettings(codec: .linearPCM, pcm: .float32), input),
            ("a.wav", AudioSettings(codec: .linearPCM), strange),
        ]
        for (name, settings, format) in cases {
            let error = #expect(throws: MediaError.self) { try write(directory.file(name), settings, format, []) }
            #expect(error?.code == .invalidSettings, "\(name): \(String(describing: error))")
            #expect(error?.action.contains(directory.path(name)) == true)
        }
        #expect(directory.names == [])
        let nowhere = #expect(throws: MediaError.self) {
            try write(directory.file("none/a.wav"), AudioSettings(codec: .linearPCM), input, [])
        }
        #expect(nowhere?.code == .notFound)
        #expect(AudioFileKind(fileExtension: "mp3") == nil && AudioFileKind(fileExtension: "WAV") == .wave)
    }
}

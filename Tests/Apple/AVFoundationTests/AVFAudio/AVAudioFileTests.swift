import AVFoundation
import Foundation
import TestSupport
import Testing

@Suite struct AVAudioFileTests {
    static let files = InputMatrix.audioFiles

    @Test(arguments: files) func read_anyFile_equalsFFmpegsDecoding(_ input: InputFile) throws {
        let url = try input.url()
        let file = try AVAudioFile(forReading: url)
        let wanted = input.audio[0]
        #expect(file.url == url && file.processingFormat.isStandard)
        #expect(file.processingFormat.sampleRate == Double(wanted.sampleRate))
        #expect(Int(file.fileFormat.channelCount) == wanted.channels)
        let given = try AudioTone.read(file)
        let decoded = try Probe.decodedAudio(url.path, as: "f32le").withUnsafeBytes {
            Array($0.bindMemory(to: Float.self))
        }
        // FFmpeg keeps the rest of the last packet, which the file's edit list leaves out.
        #expect(abs(given.count - decoded.count) <= 1200 * wanted.channels)
        let common = min(given.count, decoded.count)
        #expect(given.prefix(common) == decoded.prefix(common))
        #expect(file.length == Int64(given.count / wanted.channels) && file.framePosition == file.length)
    }

    @Test func read_position_continuesThere() throws {
        let file = try AVAudioFile(forReading: try InputMatrix["pcm-s16.wav"].url())
        let all = try AudioTone.read(file)
        #expect(file.length == 48_000 && all.count == 48_000 && file.isOpen)
        file.framePosition = 47_000
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 4000))
        try file.read(into: buffer, frameCount: 300)
        #expect(AudioTone.samples(buffer) == Array(all[47_000..<47_300]) && file.framePosition == 47_300)
        try file.read(into: buffer)
        #expect(buffer.frameLength == 700)
        try file.read(into: buffer)
        #expect(buffer.frameLength == 0)
        file.close()
        #expect(!file.isOpen)
        let error = #expect(throws: NSError.self) { try file.read(into: buffer) }
        #expect(error?.code == Int(kAudioFileOperationNotSupportedError))
    }

    @Test(arguments: [AVAudioCommonFormat.pcmFormatInt16, .pcmFormatInt32, .pcmFormatFloat64])
    func read_otherProcessingFormat_isUsed(_ common: AVAudioCommonFormat) throws {
        let url = try InputMatrix["flac.flac"].url()
        let file = try AVAudioFile(forReading: url, commonFormat: common, interleaved: true)
        #expect(file.processingFormat.commonFormat == common && file.processingFormat.isInterleaved)
        #expect(file.processingFormat.channelLayout?.channelCount == 6)
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 48_000))
        try file.read(into: buffer)
        #expect(buffer.frameLength == 48_000)
        guard common == .pcmFormatInt16 else { return }
        let wanted = try Probe.decodedAudio(url.path, as: "s16le")
        let list = UnsafeMutableAudioBufferListPointer(buffer.mutableAudioBufferList)
        let data = try #require(list[0].mData)
        #expect(Data(bytes: data, count: Int(list[0].mDataByteSize)) == wanted)
    }

    static let kinds: [(name: String, settings: [String: Int], codec: String)] = [
        ("a.wav", [AVFormatIDKey: Int(kAudioFormatLinearPCM), AVLinearPCMBitDepthKey: 16], "pcm_s16le"),
        ("b.wav", [AVFormatIDKey: Int(kAudioFormatLinearPCM), AVLinearPCMBitDepthKey: 24], "pcm_s24le"),
        ("c.aiff", [AVFormatIDKey: Int(kAudioFormatLinearPCM), AVLinearPCMBitDepthKey: 16], "pcm_s16be"),
        ("d.caf", [AVLinearPCMBitDepthKey: 32, AVLinearPCMIsFloatKey: 1], "pcm_f32le"),
        ("e.caf", [AVFormatIDKey: Int(kAudioFormatAppleLossless)], "alac"),
        ("f.m4a", [AVFormatIDKey: Int(kAudioFormatAppleLossless), AVEncoderBitDepthHintKey: 24], "alac"),
        ("g.m4a", [AVFormatIDKey: Int(kAudioFormatMPEG4AAC), AVEncoderBitRateKey: 128_000], "aac"),
        ("h.flac", [AVFormatIDKey: Int(kAudioFormatFLAC)], "flac"),
        ("i", [AVAudioFileTypeKey: Int(kAudioFileWAVEType), AVLinearPCMBitDepthKey: 16], "pcm_s16le"),
    ]

    @Test(arguments: kinds.indices) func write_anyKind_isReadBackExactlyAsLong(index: Int) throws {
        let (name, own, codec) = Self.kinds[index]
        let directory = try TemporaryDirectory()
        var settings: [String: Any] = [AVSampleRateKey: 44_100.0, AVNumberOfChannelsKey: 2]
        for (key, value) in own { settings[key] = value }
        let file = try AVAudioFile(forWriting: directory.file(name), settings: settings)
        let standard = try #require(AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 2))
        #expect(file.processingFormat == standard)
        for start in stride(from: 0, to: 30_000, by: 10_000) {
            try file.write(from: try AudioTone.buffer(10_000, standard, from: start))
        }
        #expect(file.length == 30_000 && file.framePosition == 30_000)
        try file.finish()
        #expect(try Probe(directory.path(name)).audio?.codecName == codec)
        let copy = try AVAudioFile(forReading: directory.file(name))
        #expect(copy.length == 30_000)
        let (given, wanted) = (try AudioTone.read(copy), try AudioTone.buffer(30_000, standard))
        #expect(given.count == 60_000)
        // FFmpeg's AAC differs by 0.024 at this rate. A shift by two frames would be 0.06.
        let tolerance: Float = codec == "aac" ? 0.05 : 0.0001
        for channel in 0..<2 {
            let channelSamples = stride(from: channel, to: given.count, by: 2).map { given[$0] }
            let errors = zip(channelSamples, AudioTone.samples(wanted, channel: channel)).map { abs($0 - $1) }
            #expect((errors.dropFirst(2048).dropLast(2048).max() ?? 1) < tolerance, "channel \(channel)")
        }
    }

    @Test func write_bufferFormatSettings_areAccepted() throws {
        let directory = try TemporaryDirectory()
        let format = try #require(
            AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 16_000, channels: 1, interleaved: false))
        do {
            let file = try AVAudioFile(
                forWriting: directory.file("a.wav"), settings: format.settings, commonFormat: .pcmFormatInt16,
                interleaved: false)
            try file.write(from: try AudioTone.buffer(1600, format))
        }
        // The file is complete once its object is released.
        #expect(try AVAudioFile(forReading: directory.file("a.wav")).length == 1600)
    }

    @Test(arguments: [true, false]) func write_monoBuffer_isAcceptedInterleavedOrNot(_ interleaved: Bool) throws {
        let directory = try TemporaryDirectory()
        let format = try #require(
            AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 16_000, channels: 1, interleaved: interleaved))
        let file = try AVAudioFile(
            forWriting: directory.file("a.wav"), settings: format.settings, commonFormat: .pcmFormatInt16,
            interleaved: !interleaved)
        try file.write(from: try AudioTone.buffer(1600, format))
        try file.finish()
        let copy = try AVAudioFile(
            forReading: directory.file("a.wav"), commonFormat: .pcmFormatInt16, interleaved: !interleaved)
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 1600))
        try copy.read(into: buffer)
        #expect(buffer.frameLength == 1600)
        let wanted = try AudioTone.buffer(1600, format)
        try withExtendedLifetime((buffer, wanted)) {
            let (given, tone) = (try #require(buffer.int16ChannelData), try #require(wanted.int16ChannelData))
            #expect((0..<1600).allSatisfy { given[0][$0] == tone[0][$0] })
        }
    }

    @Test func open_impossibleFile_hasAppleCodeAndCause() throws {
        let directory = try TemporaryDirectory()
        try Data("no audio".utf8).write(to: directory.file("text.wav"))
        func expect(_ code: OSStatus, _ body: () throws -> Void) {
            let error = #expect(throws: NSError.self) { try body() }
            #expect(error?.code == Int(code) && error?.domain == "com.apple.coreaudio.avfaudio")
            #expect(error?.userInfo[NSUnderlyingErrorKey] != nil && error?.localizedDescription.isEmpty == false)
        }
        expect(kAudioFileFileNotFoundError) { _ = try AVAudioFile(forReading: directory.file("none.wav")) }
        expect(kAudioFileInvalidFileError) { _ = try AVAudioFile(forReading: directory.file("text.wav")) }
        let settings: [String: Any] = [AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 2]
        expect(kAudioFileUnsupportedFileTypeError) {
            _ = try AVAudioFile(forWriting: directory.file("a.mp3"), settings: settings)
        }
        for settings in [[AVSampleRateKey: 48_000], [AVNumberOfChannelsKey: 2]] {
            expect(kAudioFileUnsupportedDataFormatError) {
                _ = try AVAudioFile(forWriting: directory.file("a.wav"), settings: settings)
            }
        }
        expect(kAudioFileUnsupportedDataFormatError) {
            _ = try AVAudioFile(
                forReading: try InputMatrix["aac.m4a"].url(), commonFormat: .otherFormat, interleaved: true)
        }
    }

    @Test func write_otherFormat_isRefused() throws {
        let directory = try TemporaryDirectory()
        let settings: [String: Any] = [AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 2]
        let file = try AVAudioFile(forWriting: directory.file("a.wav"), settings: settings)
        let mono = try #require(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 1))
        let buffer = try AudioTone.buffer(10, mono)
        let wrong = #expect(throws: NSError.self) { try file.write(from: buffer) }
        #expect(wrong?.code == Int(kAudio_ParamError))
        let stereo = try AudioTone.buffer(10, file.processingFormat)
        let reading = #expect(throws: NSError.self) { try file.read(into: stereo) }
        #expect(reading?.code == Int(kAudioFileOperationNotSupportedError))
    }

    @Test func write_channelsInOtherOrder_isRefused() throws {
        let directory = try TemporaryDirectory()
        let usual = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_MPEG_5_1_A))
        let coded = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_MPEG_5_1_D))
        let format = AVAudioFormat(standardFormatWithSampleRate: 48_000, channelLayout: usual)
        let other = AVAudioFormat(standardFormatWithSampleRate: 48_000, channelLayout: coded)
        let file = try AVAudioFile(forWriting: directory.file("a.wav"), settings: format.settings)
        let error = #expect(throws: NSError.self) { try file.write(from: try AudioTone.buffer(10, other)) }
        #expect(error?.code == Int(kAudio_ParamError))
        #expect(error?.localizedRecoverySuggestion?.contains("AVAudioConverter") == true)
        try file.write(from: try AudioTone.buffer(10, format))
        #expect(file.length == 10)
    }

    @Test(arguments: [2, 30, 75, 99]) func read_truncatedFile_failsAfterTheRest(percent: Int) throws {
        let directory = try TemporaryDirectory()
        let bytes = try Data(contentsOf: try InputMatrix["pcm-s16.wav"].url())
        let url = directory.file("cut.wav")
        try bytes.prefix(bytes.count * percent / 100).write(to: url)
        let file = try AVAudioFile(forReading: url)
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 500))
        var frames = 0
        let error = #expect(throws: NSError.self) {
            for _ in 0..<200 {
                try file.read(into: buffer)
                frames += Int(buffer.frameLength)
            }
        }
        #expect(error?.code == Int(kAudioFileInvalidFileError) && error?.userInfo[NSUnderlyingErrorKey] != nil)
        // The header takes the room of some 39 frames.
        #expect(abs(frames - 48_000 * percent / 100) < 50 && file.length == Int64(frames))
    }
}

import AVFoundation
import Foundation
import Testing

@Suite struct AVAudioConverterTests {
    private func pcm(
        _ rate: Double = 48_000, _ channels: UInt32 = 1, _ common: AVAudioCommonFormat = .pcmFormatFloat32,
        interleaved: Bool = false
    ) throws -> AVAudioFormat {
        try #require(
            AVAudioFormat(commonFormat: common, sampleRate: rate, channels: channels, interleaved: interleaved))
    }

    private func codec(_ id: AudioFormatID, _ channels: Int, _ rate: Double = 48_000) throws -> AVAudioFormat {
        try #require(
            AVAudioFormat(settings: [AVFormatIDKey: id, AVSampleRateKey: rate, AVNumberOfChannelsKey: channels]))
    }

    /// Converts buffers to their end; returns the buffers of the output.
    private func convert<Output: AVAudioBuffer>(
        _ converter: AVAudioConverter, _ input: [AVAudioBuffer], into make: () -> Output?
    ) throws -> [Output] {
        var (rest, outputs) = (input[...], [Output]())
        while true {
            let output = try #require(make())
            var error: NSError?
            let status = converter.convert(to: output, error: &error) { wanted, status in
                #expect(wanted > 0)
                let next = rest.popFirst()
                status.pointee = next == nil ? .endOfStream : .haveData
                return next
            }
            try #require(status != .error, "\(String(describing: error))")
            if status == .endOfStream { return outputs }
            outputs.append(output)
        }
    }

    @Test func convert_commonFormats_keepsTheSamples() throws {
        let source = try AudioTone.buffer(1000, try pcm(48_000, 2))
        for common in [AVAudioCommonFormat.pcmFormatInt16, .pcmFormatInt32, .pcmFormatFloat64] {
            for interleaved in [true, false] {
                let target = try pcm(48_000, 2, common, interleaved: interleaved)
                let there = try #require(AVAudioConverter(from: source.format, to: target))
                let back = try #require(AVAudioConverter(from: target, to: source.format))
                #expect(there.inputFormat == source.format && there.outputFormat == target)
                let middle = try #require(AVAudioPCMBuffer(pcmFormat: target, frameCapacity: 1000))
                let result = try #require(AVAudioPCMBuffer(pcmFormat: source.format, frameCapacity: 1000))
                try there.convert(to: middle, from: source)
                try back.convert(to: result, from: middle)
                #expect(middle.frameLength == 1000 && result.frameLength == 1000)
                for channel in 0..<2 {
                    let pairs = zip(
                        AudioTone.samples(result, channel: channel), AudioTone.samples(source, channel: channel))
                    #expect(pairs.allSatisfy { abs($0 - $1) < 0.0001 })
                }
            }
        }
    }

    @Test func convert_simpleForm_refusesRatesAndShortBuffers() throws {
        let source = try AudioTone.buffer(100, try pcm())
        let converter = try #require(AVAudioConverter(from: source.format, to: try pcm(48_000, 1, .pcmFormatInt16)))
        let short = try #require(AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: 99))
        let error = #expect(throws: NSError.self) { try converter.convert(to: short, from: source) }
        #expect(error?.code == Int(kAudio_ParamError))
        let slower = try #require(AVAudioConverter(from: source.format, to: try pcm(24_000)))
        let long = try #require(AVAudioPCMBuffer(pcmFormat: slower.outputFormat, frameCapacity: 1000))
        #expect(throws: NSError.self) { try slower.convert(to: long, from: source) }
    }

    @Test(arguments: [44_100.0, 16_000, 96_000], [AVAudioQuality.min, .medium, .max])
    func convert_rate_lastsExactlyAsLong(_ rate: Double, _ quality: AVAudioQuality) throws {
        let target = try pcm(rate)
        let converter = try #require(AVAudioConverter(from: try pcm(), to: target))
        converter.sampleRateConverterQuality = quality.rawValue
        #expect(converter.sampleRateConverterQuality == quality.rawValue)
        let input = try (0..<48).map { try AudioTone.buffer(1000, try pcm(), from: 1000 * $0) }
        for _ in 0..<2 {
            let outputs = try convert(converter, input) { AVAudioPCMBuffer(pcmFormat: target, frameCapacity: 777) }
            let samples = outputs.flatMap { AudioTone.samples($0) }
            #expect(samples.count == Int(rate))
            let wanted = AudioTone.samples(try AudioTone.buffer(Int(rate), target))
            let errors = zip(samples, wanted).map { abs($0 - $1) }.dropFirst(500).dropLast(500)
            #expect((errors.max() ?? 1) < 0.01)
            converter.reset()
        }
    }

    @Test func convert_noDataNow_returnsWhatThereIs() throws {
        let converter = try #require(AVAudioConverter(from: try pcm(), to: try pcm(48_000, 1, .pcmFormatInt16)))
        let input = try AudioTone.buffer(100, try pcm())
        let output = try #require(AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: 250))
        var given = 0
        func status(_ end: AVAudioConverterInputStatus) -> AVAudioConverterOutputStatus {
            converter.convert(to: output, error: nil) { _, status in
                given += 1
                status.pointee = given % 2 == 1 ? .haveData : end
                return given % 2 == 1 ? input : nil
            }
        }
        #expect(status(.noDataNow) == .inputRanDry && output.frameLength == 100)
        #expect(status(.endOfStream) == .haveData && output.frameLength == 100)
        #expect(status(.endOfStream) == .endOfStream && output.frameLength == 0)
    }

    static let codecs: [AudioFormatID] = [
        kAudioFormatMPEG4AAC, kAudioFormatAppleLossless, kAudioFormatFLAC, kAudioFormatOpus,
    ]

    @Test(arguments: codecs, [1, 2, 6]) func convert_encodedAndDecoded_lastsExactlyAsLong(
        _ id: AudioFormatID, _ channels: Int
    ) throws {
        let layout = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_MPEG_5_1_A))
        let source =
            try channels == 6
            ? AVAudioFormat(standardFormatWithSampleRate: 48_000, channelLayout: layout)
            : pcm(48_000, UInt32(channels))
        var settings: [String: Any] = [
            AVFormatIDKey: id, AVSampleRateKey: 48_000.0, AVNumberOfChannelsKey: channels,
        ]
        if channels == 6 { settings[AVChannelLayoutKey] = source.settings[AVChannelLayoutKey] }
        let target = try #require(AVAudioFormat(settings: settings))
        let encoder = try #require(AVAudioConverter(from: source, to: target))
        let frames = 20_011
        let input = try AudioTone.buffer(frames, source)
        let size = encoder.maximumOutputPacketSize
        let packets = try convert(encoder, [input]) {
            AVAudioCompressedBuffer(format: target, packetCapacity: 8, maximumPacketSize: size)
        }
        #expect(packets.allSatisfy { $0.packetCount > 0 && $0.byteLength > 0 })
        let coded = try #require(AVAudioFormat(settings: settings))
        coded.magicCookie = encoder.magicCookie
        let decoder = try #require(AVAudioConverter(from: target, to: source))
        decoder.magicCookie = encoder.magicCookie
        decoder.primeInfo = encoder.primeInfo
        #expect(decoder.primeInfo == encoder.primeInfo && decoder.magicCookie == coded.magicCookie)
        let decoded = try convert(decoder, packets) { AVAudioPCMBuffer(pcmFormat: source, frameCapacity: 4096) }
        #expect(decoded.reduce(0) { $0 + Int($1.frameLength) } == frames)
        // The low-frequency channel is filtered by some codecs.
        for channel in 0..<channels where channel != 3 {
            let given = decoded.flatMap { AudioTone.samples($0, channel: channel) }
            let wanted = AudioTone.samples(input, channel: channel)
            guard id == kAudioFormatMPEG4AAC || id == kAudioFormatOpus else {
                #expect(zip(given, wanted).allSatisfy { abs($0 - $1) < 0.0001 }, "\(channel)")
                continue
            }
            // Lossy codecs distort the tone, so its place is what is compared.
            let middle = given[4000..<18_000]
            let errors = (-50...50).map { shift in
                zip(middle, wanted[(4000 + shift)...]).reduce(Float(0)) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
            }
            let best = try #require(errors.min())
            #expect(errors[50] == best, "\(channel)")
            let power = middle.reduce(Float(0)) { $0 + $1 * $1 }
            #expect(best < 0.05 * power, "\(channel)")
        }
    }

    @Test func decoder_withoutItsCookie_isAnErrorThatSaysSo() throws {
        let format = try codec(kAudioFormatAppleLossless, 1)
        let decoder = try #require(AVAudioConverter(from: format, to: try pcm()))
        let packets = AVAudioCompressedBuffer(format: format, packetCapacity: 1, maximumPacketSize: 100)
        packets.packetDescriptions?[0] = AudioStreamPacketDescription(
            mStartOffset: 0, mVariableFramesInPacket: 0, mDataByteSize: 50)
        (packets.packetCount, packets.byteLength) = (1, 50)
        let output = try #require(AVAudioPCMBuffer(pcmFormat: try pcm(), frameCapacity: 4096))
        var error: NSError?
        let status = decoder.convert(to: output, error: &error) { _, status in
            status.pointee = .haveData
            return packets
        }
        #expect(status == .error && error?.localizedRecoverySuggestion?.contains("magicCookie") == true)
    }

    @Test func encoder_properties_areThoseOfTheCodec() throws {
        let encoder = try #require(AVAudioConverter(from: try pcm(48_000, 2), to: try codec(kAudioFormatMPEG4AAC, 2)))
        #expect(encoder.bitRate == 128_000 && encoder.maximumOutputPacketSize == 1536)
        encoder.bitRate = 96_000
        encoder.bitRateStrategy = AVAudioBitRateStrategy_Variable
        #expect(encoder.bitRate == 96_000 && encoder.bitRateStrategy == AVAudioBitRateStrategy_Variable)
        #expect(encoder.primeInfo.leadingFrames == 1024 && encoder.magicCookie?.isEmpty == false)
        encoder.primeMethod = .none
        encoder.dither = true
        encoder.sampleRateConverterAlgorithm = AVSampleRateConverterAlgorithm_Mastering
        #expect(encoder.primeMethod == .none && encoder.dither)
        #expect(encoder.sampleRateConverterAlgorithm == AVSampleRateConverterAlgorithm_Mastering)
        #expect(AVAudioConverterPrimeInfo(leadingFrames: 1, trailingFrames: 2) != AVAudioConverterPrimeInfo())
        #expect(AVAudioConverter(from: try codec(kAudioFormatMPEG4AAC, 2), to: try codec(kAudioFormatFLAC, 2)) == nil)
        #expect(AVAudioConverter(from: try pcm(), to: try codec(kAudioFormatMPEG4CELP, 1)) == nil)
    }

    @Test func open_framesWithPadding_isRefused() throws {
        // 16 bits in frames of four bytes.
        var stream = AudioStreamBasicDescription(
            mSampleRate: 48_000, mFormatID: kAudioFormatLinearPCM, mFormatFlags: kAudioFormatFlagIsSignedInteger,
            mBytesPerPacket: 4, mFramesPerPacket: 1, mBytesPerFrame: 4, mChannelsPerFrame: 1, mBitsPerChannel: 16,
            mReserved: 0)
        let padded = try #require(AVAudioFormat(streamDescription: &stream))
        let float = try pcm()
        #expect(AVAudioConverter(from: padded, to: float) == nil)
        #expect(AVAudioConverter(from: float, to: padded) == nil)
        stream.mBytesPerFrame = 2
        let packed = try #require(AVAudioFormat(streamDescription: &stream))
        #expect(AVAudioConverter(from: packed, to: float) != nil)
    }

    @Test func convert_formatThatChanges_isAnErrorWithItsCause() throws {
        let converter = try #require(AVAudioConverter(from: try pcm(), to: try pcm(24_000)))
        let other = try AudioTone.buffer(100, try pcm(48_000, 2))
        let output = try #require(AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: 100))
        var error: NSError?
        let status = converter.convert(to: output, error: &error) { _, status in
            status.pointee = .haveData
            return other
        }
        #expect(status == .error && error?.code == Int(kAudio_ParamError))
        #expect(error?.userInfo[NSUnderlyingErrorKey] != nil)
        #expect(converter.convert(to: other, error: &error) { _, _ in nil } == .error)
    }

    @Test func convert_packetOutsideItsBuffer_isAnError() throws {
        let format = try codec(kAudioFormatMPEG4AAC, 2)
        let target = try pcm(48_000, 2)
        let decoder = try #require(AVAudioConverter(from: format, to: target))
        let packets = AVAudioCompressedBuffer(format: format, packetCapacity: 1, maximumPacketSize: 100)
        packets.packetDescriptions?[0] = AudioStreamPacketDescription(
            mStartOffset: 0, mVariableFramesInPacket: 0, mDataByteSize: 51)
        (packets.packetCount, packets.byteLength) = (1, 50)
        let output = try #require(AVAudioPCMBuffer(pcmFormat: target, frameCapacity: 1024))
        var error: NSError?
        let status = decoder.convert(to: output, error: &error) { _, status in
            status.pointee = .haveData
            return packets
        }
        #expect(status == .error && error?.code == Int(kAudioFileInvalidFileError))
    }

    @Test func convert_inputWithoutPackets_runsDry() throws {
        let format = try codec(kAudioFormatMPEG4AAC, 2)
        let decoder = try #require(AVAudioConverter(from: format, to: try pcm(48_000, 2)))
        let input = AVAudioCompressedBuffer(format: format, packetCapacity: 1, maximumPacketSize: 100)
        // Bytes, but no packet.
        input.byteLength = 100
        let output = try #require(AVAudioPCMBuffer(pcmFormat: decoder.outputFormat, frameCapacity: 1024))
        let status = decoder.convert(to: output, error: nil) { _, status in
            status.pointee = .haveData
            return input
        }
        #expect(status == .inputRanDry && output.frameLength == 0)
    }

    @Test func convert_onePacketAtATime_returnsEachInOrder() throws {
        let (source, target) = (try pcm(), try codec(kAudioFormatAppleLossless, 1))
        let input = try AudioTone.buffer(100_000, source)
        func packets(_ capacity: UInt32) throws -> [Data] {
            let encoder = try #require(AVAudioConverter(from: source, to: target))
            let size = encoder.maximumOutputPacketSize
            let buffers = try convert(encoder, [input]) {
                AVAudioCompressedBuffer(format: target, packetCapacity: capacity, maximumPacketSize: size)
            }
            return buffers.flatMap { buffer in
                (0..<Int(buffer.packetCount)).compactMap { index in
                    buffer.packetDescriptions.map { packets in
                        Data(
                            bytes: buffer.data + Int(packets[index].mStartOffset),
                            count: Int(packets[index].mDataByteSize))
                    }
                }
            }
        }
        let one = try packets(1)
        #expect(one.count == 25)
        #expect(try packets(100) == one)
    }

    @Test func convert_damagedPackets_isAnErrorOrSilence() throws {
        let format = try codec(kAudioFormatMPEG4AAC, 2)
        let decoder = try #require(AVAudioConverter(from: format, to: try pcm(48_000, 2)))
        let noise = AVAudioCompressedBuffer(format: format, packetCapacity: 4, maximumPacketSize: 200)
        for packet in 0..<4 {
            for byte in 0..<200 {
                let value = UInt8(truncatingIfNeeded: byte &* 151 &+ packet)
                noise.data.storeBytes(of: value, toByteOffset: packet * 200 + byte, as: UInt8.self)
            }
            // The last one reaches beyond the valid bytes.
            noise.packetDescriptions?[packet] = AudioStreamPacketDescription(
                mStartOffset: Int64(packet * 200), mVariableFramesInPacket: 0, mDataByteSize: packet == 3 ? 9999 : 200)
        }
        (noise.packetCount, noise.byteLength) = (4, 800)
        let output = try #require(AVAudioPCMBuffer(pcmFormat: try pcm(48_000, 2), frameCapacity: 8192))
        var (error, given): (NSError?, Bool) = (nil, false)
        let status = decoder.convert(to: output, error: &error) { _, status in
            status.pointee = given ? .endOfStream : .haveData
            defer { given = true }
            return given ? nil : noise
        }
        #expect((status == .error) == (error != nil))
        if let error { #expect(error.code == Int(kAudioFileInvalidFileError)) }
    }
}

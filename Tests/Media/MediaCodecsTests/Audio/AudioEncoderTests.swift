import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

@Suite struct AudioEncoderTests {
    private func input(_ pcm: PCMSampleFormat = .s16, rate: Int = 48_000, channels: Int = 1) -> AudioFormat {
        AudioFormat(pcm: pcm, sampleRate: rate, channelCount: channels)
    }

    /// Encodes blocks of bytes; returns the packets and the encoder.
    private func encode(
        _ settings: AudioSettings, _ format: AudioFormat, _ blocks: [[UInt8]]
    ) throws -> (encoder: any AudioEncoder, packets: [SampleBuffer]) {
        let encoder = try AudioEncoders.open(settings, input: format)
        encoder.setAnchor(MediaTime(value: 10, timescale: 1))
        var packets: [SampleBuffer] = []
        for block in blocks { try block.withUnsafeBytes { try encoder.encode($0) { packets.append($0) } } }
        try encoder.finish { packets.append($0) }
        return (encoder, packets)
    }

    private func bytes(_ packets: [SampleBuffer]) -> [UInt8] {
        packets.flatMap { packet -> [UInt8] in
            if case .data(let data) = packet.content { Array(data.bytes) } else { [] }
        }
    }

    @Test(arguments: PCMSampleFormat.allCases) func encode_pcmOfTheSameFormat_isUnchanged(pcm: PCMSampleFormat) throws {
        var noise = SyntheticMedia.noise(pcm.byteCount * 2 * 5000)
        if pcm == .float32 {
            let samples = (-5000..<5000).map { Float($0) / 7001 }
            noise = samples.withUnsafeBytes(Array.init)
        } else if pcm == .float64 {
            let samples = (-5000..<5000).map { Double($0) / 7001 }
            noise = samples.withUnsafeBytes(Array.init)
        }
        let format = input(pcm, channels: 2)
        let size = pcm.byteCount * 2
        // Blocks of all sizes, as devices deliver them.
        let cuts = [0, 1, 480, 1024, 3000, 5000].map { $0 * size }
        let blocks = zip(cuts, cuts.dropFirst()).map { Array(noise[$0..<$1]) }
        let (encoder, packets) = try encode(AudioSettings(codec: .linearPCM, pcm: pcm), format, blocks)
        #expect(bytes(packets) == noise)
        #expect(encoder.framesEncoded == 5000 && packets.reduce(0) { $0 + $1.sampleCount } == 5000)
        var next: Int64 = 480_000
        for packet in packets {
            #expect(packet.presentationTime == MediaTime(value: next, timescale: 48_000))
            next += Int64(packet.sampleCount)
        }
    }

    /// A faulty device delivers them. The AAC encoder fails with them, or does not return.
    @Test(arguments: [Float.nan, .infinity, -.infinity, 1e20, -1e9], [AudioCodec.aac, .alac, .flac])
    func encode_invalidSample_doesNotEndTheAudio(sample: Float, codec: AudioCodec) throws {
        var samples = (0..<9600).map { Float($0 % 100) / 200 }
        samples[5000] = sample
        let encoded = try EncodedAudio(AudioSettings(codec: codec), input: input(.float32), samples)
        let clean = try EncodedAudio(
            AudioSettings(codec: codec), input: input(.float32),
            samples.enumerated().map { $0.offset == 5000 ? 0 : $0.element })
        #expect(encoded.bytes == clean.bytes && !clean.bytes.isEmpty)
    }

    @Test(arguments: [false, true]) func encode_invalidSamplesAsIntegers_areSilence(isBigEndian: Bool) throws {
        let samples: [Double] = [0.5, .nan, .infinity, 1e20, -1e9, 2, -0.5]
        let wire = samples.map { isBigEndian ? $0.bitPattern.bigEndian : $0.bitPattern }
        let format = AudioFormat(pcm: .float64, sampleRate: 48_000, channelCount: 1, isBigEndian: isBigEndian)
        let (encoder, packets) = try encode(
            AudioSettings(codec: .linearPCM, pcm: .s16), format, [wire.withUnsafeBytes { Array($0) }])
        #expect(encoder.silencedValues == 4)
        let stored = bytes(packets).withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
        #expect(stored == [16_384, 0, 0, 0, 0, 32_767, -16_384])
    }

    @Test func encode_16BitsAs24Bits_isLossless() throws {
        let samples: [Int16] = [0, 1, -1, 32767, -32768, 1234]
        let (_, packets) = try encode(
            AudioSettings(codec: .linearPCM, pcm: .s24), input(), [samples.withUnsafeBytes { Array($0) }])
        let result = bytes(packets)
        for (index, sample) in samples.enumerated() {
            #expect(Array(result[(index * 3)..<(index * 3 + 3)]) == [0] + withUnsafeBytes(of: sample, Array.init))
        }
    }

    @Test(arguments: [(44_100, 48_000), (48_000, 44_100), (16_000, 48_000)])
    func encode_otherSampleRate_keepsDurationAndTheTimeOfAClick(from: Int, to: Int) throws {
        let click = from * 3 / 4
        var samples = [Int16](repeating: 0, count: from)
        for index in 0..<8 { samples[click + index] = 30_000 }
        let all = samples.withUnsafeBytes { Array($0) }
        let blocks = stride(from: 0, to: all.count, by: 882).map { Array(all[$0..<min(all.count, $0 + 882)]) }
        let (encoder, packets) = try encode(
            AudioSettings(codec: .linearPCM, sampleRate: to), input(rate: from), blocks)
        #expect(abs(encoder.framesEncoded - Int64(to)) <= 1)
        let result = bytes(packets).withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
        let loudest = try #require(result.indices.max { abs(Int(result[$0])) < abs(Int(result[$1])) })
        let expected = Double(click + 4) / Double(from)
        #expect(abs(Double(loudest) / Double(to) - expected) < 0.0005)
    }

    @Test func encode_aac_packetsFollowEachOtherFromThePriming() throws {
        let blocks = (0..<100).map { _ in [UInt8](repeating: 0, count: 480 * 2) }
        let (encoder, packets) = try encode(AudioSettings(), input(), blocks)
        #expect(encoder.format.codec == .aac && !encoder.format.decoderConfiguration.isEmpty)
        #expect(encoder.primingFrames == 1024 && encoder.framesEncoded == 48_000)
        for (index, packet) in packets.enumerated() {
            #expect(
                packet.presentationTime == MediaTime(value: Int64(480_000 - 1024 + index * 1024), timescale: 48_000))
        }
        // Enough packets for all audio frames after the priming.
        #expect(packets.count * 1024 >= 48_000 + 1024)
    }

    @Test func encode_alac_has16Or24Bits() throws {
        for (pcm, bits) in [(PCMSampleFormat.s16, 16), (.s24, 24), (.float32, 24)] as [(PCMSampleFormat, UInt8)] {
            let encoder = try AudioEncoders.open(AudioSettings(codec: .alac), input: input(pcm))
            // The bit depth is in the sixth byte of the cookie, after frame length and version.
            #expect(encoder.format.decoderConfiguration.count == 24 && encoder.format.decoderConfiguration[5] == bits)
        }
        for (pcm, bits) in [(PCMSampleFormat.s16, 24), (.float32, 16)] {
            let encoder = try AudioEncoders.open(AudioSettings(codec: .alac, bitDepth: bits), input: input(pcm))
            #expect(Int(encoder.format.decoderConfiguration[5]) == bits)
        }
    }

    @Test(arguments: [
        (AudioSettings(channelCount: 9), "9 channels"), (AudioSettings(channelCount: 0), "0 channels"),
        (AudioSettings(channelCount: 6), "6 channels"),
        (AudioSettings(channelCount: 2, layout: .surround51), "2 channels"),
        (AudioSettings(sampleRate: 100), "100 Hz"), (AudioSettings(sampleRate: 1_000_000), "1000000 Hz"),
        (AudioSettings(sampleRate: 50_000), "50000 Hz as aac"),
        (AudioSettings(sampleRate: 192_000), "192000 Hz as aac"),
        (AudioSettings(bitRate: 0), "bit rate of 0"), (AudioSettings(bitRate: 7000), "bit rate of 7000"),
        (AudioSettings(bitRate: 300_000), "bit rate of 300000"),
        (AudioSettings(codec: .linearPCM, isInterleaved: false), "isInterleaved"),
        (AudioSettings(isBigEndian: true), "big-endian aac"),
        (AudioSettings(codec: .alac, bitDepth: 20), "bit depth of 20"),
        (AudioSettings(codec: .linearPCM, bitDepth: 24), "bit depth of 24 as pcm"),
        (AudioSettings(channelCount: 9, layout: .discrete(9)), "9 channels as aac"),
        (AudioSettings(codec: .alac, channelCount: 9, layout: .discrete(9)), "9 channels as alac"),
        (AudioSettings(codec: .flac, channelCount: 9, layout: .discrete(9)), "9 channels as flac"),
        (AudioSettings(codec: .linearPCM, channelCount: 65, layout: .discrete(65)), "65 channels as"),
        (AudioSettings(codec: AudioCodec(rawValue: "mp9")), "mp9"),
    ])
    func open_invalidSettings_namesTheSetting(settings: AudioSettings, name: String) {
        let error = #expect(throws: MediaError.self) { try AudioEncoders.open(settings, input: input()) }
        #expect(error?.code == .invalidSettings || error?.code == .unsupported)
        #expect(error?.description.contains(name) == true, "\(error.debugDescription)")
    }

    @Test(arguments: [
        AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 0),
        AudioFormat(pcm: .s16, sampleRate: 0, channelCount: 2),
        AudioFormat(pcm: .s16, sampleRate: .max, channelCount: 2),
        AudioFormat(codec: .aac, sampleRate: 48_000, channelCount: 2),
        AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 2, layout: .surround51),
    ])
    func open_invalidInputFormat_isRefused(format: AudioFormat) {
        let settings = AudioSettings(sampleRate: 48_000, channelCount: 2)
        #expect(throws: MediaError.self) { try AudioEncoders.open(settings, input: format) }
    }

    @Test(arguments: [ChannelLayout.surround51, .surround71, .quad]) func encode_surroundLayout_keepsTheChannelCount(
        layout: ChannelLayout
    ) throws {
        let format = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: layout.channelCount, layout: layout)
        let block = [UInt8](repeating: 0, count: 4096 * layout.channelCount * 2)
        for codec in [AudioCodec.aac, .linearPCM] {
            let (encoder, packets) = try encode(AudioSettings(codec: codec), format, [block])
            #expect(encoder.format.channelCount == layout.channelCount && !packets.isEmpty)
        }
    }
}

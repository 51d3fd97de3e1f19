import MediaTypes
import Testing

@testable import MovieFile

@Suite struct ChannelLayoutAtomTests {
    /// The payload of the written `chan`; nil if there is none.
    private func payload(_ format: AudioFormat, _ dialect: MovieDialect) -> [UInt8]? {
        let bytes = AtomWriter.build("test") { ChannelLayoutAtom.write(format, dialect: dialect, into: &$0) }
        // Two atom headers, version and flags.
        return bytes.count > 20 ? Array(bytes[20...]) : nil
    }

    private static let names = [
        "2.1", "3.0(back)", "4.0", "quad", "quad(side)", "3.1", "5.0(side)", "5.1(side)", "6.0", "hexagonal", "6.1",
        "7.0", "7.1", "7.1(wide)", "octagonal", "3 discrete", "6 discrete", "8 discrete", "FL+FR+LFE2", "FC+FL+FR",
        "FL+discrete+FR",
    ]

    /// A layout that the codec does not store itself is read back from the file, in QuickTime and in MPEG-4.
    @Test(arguments: names, [AudioCodec.linearPCM, .alac, .flac, .aac, .opus])
    func write_anyLayout_isReadBack(name: String, codec: AudioCodec) throws {
        let layout = try #require(ChannelLayout(rawValue: name))
        let held = try #require(CodecChannelOrder(codec, layout: layout, channelCount: layout.channelCount))
        var format = AudioFormat(
            codec: codec, sampleRate: 48_000, channelCount: layout.channelCount, layout: held.stored)
        if codec == .linearPCM { format.pcm = .s16 }
        for dialect in [MovieDialect.quickTime, .mpeg4] {
            let written = payload(format, dialect)
            #expect(written != nil || held.isNamedByCodec, "\(dialect)")
            guard let written, !held.isNamedByCodec else { continue }
            let read = ChannelLayoutAtom.layout(written, codec: codec, channelCount: layout.channelCount)
            #expect(read == held.stored, "\(dialect): \(read?.rawValue ?? "none")")
        }
    }

    @Test(arguments: 3...16) func write_discretePCM_getsTheTagOfDiscreteChannels(count: Int) {
        let format = AudioFormat(
            pcm: .s16, sampleRate: 48_000, channelCount: count, layout: .discrete(count))
        #expect(payload(format, .quickTime) == [0, 147, 0, UInt8(count)] + [UInt8](repeating: 0, count: 8))
    }

    @Test func write_storedPayload_isWrittenAsItWas() {
        var format = AudioFormat(codec: .aac, sampleRate: 48_000, channelCount: 6, layout: .surround51)
        let before = format
        format.storedChannelLayout = [0, 123, 0, 6] + [UInt8](repeating: 0, count: 8)
        for dialect in [MovieDialect.quickTime, .mpeg4] {
            #expect(payload(format, dialect) == format.storedChannelLayout)
        }
        #expect(format == before)
    }

    @Test(arguments: [
        [UInt8](), [0, 147, 0, 6], [UInt8](repeating: 0xFF, count: 12), [UInt8](repeating: 0, count: 12),
    ])
    func read_damaged_returnsNil(payload: [UInt8]) {
        #expect(ChannelLayoutAtom.layout(payload, codec: .linearPCM, channelCount: 6) == nil)
    }

    @Test func stream_aacWithoutAChannelConfiguration_isRefused() {
        func refusal(_ configuration: [UInt8]) -> Bool {
            let format = AudioFormat(
                codec: .aac, sampleRate: 48_000, channelCount: 6, decoderConfiguration: configuration)
            return StreamLayout.refusal(of: .audio(format)) != nil
        }
        #expect(refusal([0x11, 0x80, 0x04]))
        #expect(!refusal([0x11, 0xB0]))
    }
}

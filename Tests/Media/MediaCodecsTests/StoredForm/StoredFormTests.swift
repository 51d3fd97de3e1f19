import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

@Suite struct StoredFormTests {
    private static let sequence: [UInt8] = [0x67, 66, 0, 30, 0x80]
    private static let frame: [UInt8] = [0x68, 0b1110_0000]
    private static let otherFrame: [UInt8] = [0x68, 0b1111_0000]

    private static func stream(_ units: [[UInt8]]) -> [UInt8] { units.flatMap { [0, 0, 0, 1] + $0 } }

    private static func lengths(_ units: [[UInt8]]) -> [UInt8] { units.flatMap { [0, 0, 0, UInt8($0.count)] + $0 } }

    private static func sample(_ bytes: [UInt8], of format: FormatDescription, isKey: Bool = true) -> SampleBuffer {
        SampleBuffer(format: format, content: .data(MediaData(bytes)), presentationTime: .zero, isKeyframe: isKey)
    }

    private static func bytes(_ sample: SampleBuffer?) -> [UInt8]? {
        guard case .data(let data) = sample?.content else { return nil }
        return Array(data.bytes)
    }

    private static func video(_ configuration: [UInt8] = []) -> FormatDescription {
        .video(VideoFormat(codec: .h264, width: 64, height: 48, decoderConfiguration: configuration))
    }

    @Test func storedForm_lengthsInTheSource_isNotNeeded() {
        #expect(StoredForm(Self.video([1, 66, 0, 30, 0xFF])) == nil)
        #expect(StoredForm(.video(VideoFormat(codec: .proRes422, width: 64, height: 48))) == nil)
        #expect(
            StoredForm(.audio(AudioFormat(codec: .aac, sampleRate: 48_000, channelCount: 2, decoderConfiguration: [1])))
                == nil)
    }

    @Test func storedForm_keyframeWithOtherParameterSets_getsAnotherConfiguration() throws {
        let format = Self.video(Self.stream([Self.sequence, Self.frame]))
        var form = try #require(StoredForm(format))
        let first = form.format
        let same = try form.convert(
            Self.sample(Self.stream([[9, 0xF0], Self.sequence, Self.frame, [0x65, 1]]), of: format))
        #expect(Self.bytes(same) == Self.lengths([[0x65, 1]]) && same?.format == first)
        let other = try form.convert(
            Self.sample(Self.stream([Self.sequence, Self.otherFrame, [0x65, 2]]), of: format))
        #expect(Self.bytes(other) == Self.lengths([[0x65, 2]]) && other?.format != first)
        #expect(other?.format.video?.decoderConfiguration.suffix(2) == Self.otherFrame[...])
    }

    @Test func storedForm_parameterSetBetweenKeyframes_staysInItsSample() throws {
        let format = Self.video(Self.stream([Self.sequence, Self.frame]))
        var form = try #require(StoredForm(format))
        let first = form.format
        _ = try form.convert(Self.sample(Self.stream([Self.sequence, Self.frame, [0x65, 1]]), of: format))
        let between = try form.convert(
            Self.sample(Self.stream([Self.otherFrame, [0x41, 1]]), of: format, isKey: false))
        #expect(Self.bytes(between) == Self.lengths([Self.otherFrame, [0x41, 1]]) && between?.format == first)
        let again = try form.convert(
            Self.sample(Self.stream([Self.otherFrame, [0x41, 2]]), of: format, isKey: false))
        #expect(Self.bytes(again) == Self.lengths([[0x41, 2]]))
    }

    @Test func storedForm_framesBeforeTheFirstParameterSets_areOmitted() throws {
        var form = try #require(StoredForm(Self.video()))
        #expect(try form.convert(Self.sample(Self.stream([[0x41, 1]]), of: Self.video(), isKey: false)) == nil)
        let key = try form.convert(
            Self.sample(Self.stream([Self.sequence, Self.frame, [0x65, 1]]), of: Self.video()))
        #expect(key?.format.video?.decoderConfiguration.first == 1)
    }

    @Test func configuration_severalSequenceParameterSets_keepsEach() {
        var configuration = AVCConfiguration()
        // Numbers 0 and 1; the second picture parameter set refers to the second.
        let units: [[UInt8]] = [
            [0x67, 66, 0, 30, 0b1000_0000], [0x67, 77, 0, 30, 0b0100_0000], [0x68, 0b1100_0000], [0x68, 0b0100_1000],
        ]
        for unit in units { unit.withUnsafeBytes { configuration.take($0) } }
        let parts: [[UInt8]] = [[1, 77, 0, 30, 0xFF, 0xE2, 0, 5], units[0], [0, 5], units[1], [2]]
        #expect(configuration.bytes.starts(with: parts.joined()))
        // Another sequence parameter set with number 1 invalidates the picture parameter set that refers to it.
        let other: [UInt8] = [0x67, 77, 0, 31, 0b0100_0000]
        other.withUnsafeBytes { configuration.take($0) }
        #expect(configuration.bytes.suffix(5) == [1, 0, 2, 0x68, 0b1100_0000])
    }

    private static func adts(channels: UInt8, blocks: UInt8 = 1) -> [UInt8] {
        // AAC LC, 48 kHz, ten bytes in all.
        [0xFF, 0xF1, 0x4C | channels >> 2, channels << 6, 0x01, 0x5F, 0xFC | (blocks - 1), 1, 2, 3]
    }

    @Test func storedForm_adtsHeader_becomesAConfiguration() throws {
        let format = FormatDescription.audio(AudioFormat(codec: .aac, sampleRate: 48_000, channelCount: 2))
        var form = try #require(StoredForm(format))
        let stereo = try form.convert(Self.sample(Self.adts(channels: 2), of: format))
        #expect(Self.bytes(stereo) == [1, 2, 3])
        #expect(stereo?.format.audio?.decoderConfiguration == [0x11, 0x90])
        let mono = try form.convert(Self.sample(Self.adts(channels: 1), of: format))
        #expect(mono?.format.audio?.decoderConfiguration == [0x11, 0x88] && mono?.format.audio?.channelCount == 1)
        let bare = try form.convert(Self.sample([0x21, 2, 3, 4, 5, 6, 7, 8, 9], of: format))
        #expect(Self.bytes(bare)?.count == 9)
    }

    @Test(arguments: [(0, 1), (2, 2)] as [(UInt8, UInt8)])
    func storedForm_adtsWithoutAConfiguration_isRefused(channels: UInt8, blocks: UInt8) throws {
        let format = FormatDescription.audio(AudioFormat(codec: .aac, sampleRate: 48_000, channelCount: 2))
        var form = try #require(StoredForm(format))
        let error = #expect(throws: MediaError.self) {
            try form.convert(Self.sample(Self.adts(channels: channels, blocks: blocks), of: format))
        }
        #expect(error?.code == .unsupported)
    }

    @Test(arguments: [VideoCodec.h264, .hevc])
    func storedForm_noise_neverTraps(_ codec: VideoCodec) throws {
        let format = FormatDescription.video(VideoFormat(codec: codec, width: 64, height: 48))
        var form = try #require(StoredForm(format))
        for seed in 1...200 as ClosedRange<UInt64> {
            let noise = SyntheticMedia.noise(300, seed: seed).map {
                $0 < 120 ? 0 : $0 < 160 ? 1 : $0 < 190 ? 0x67 : $0 < 210 ? 0x42 : $0 < 230 ? 0x44 : $0
            }
            _ = try form.convert(Self.sample([0, 0, 1] + noise, of: format, isKey: seed % 2 == 0))
        }
    }
}

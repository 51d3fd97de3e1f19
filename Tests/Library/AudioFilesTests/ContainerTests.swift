import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AudioFiles

/// Tests of the bytes around the audio, for sizes that no test writes.
@Suite struct ContainerTests {
    private let stereo = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 2)

    private func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> UInt64 {
        bytes[place..<(place + count)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    @Test func wave_above4GiB_isRF64() throws {
        let container = try WaveContainer(stereo)
        let size = UInt64(5) << 30
        let head = container.head(AudioExtent(byteCount: size, frameCount: Int64(size / 4)))
        #expect(head.count == container.head(nil).count)
        #expect(Array(head[0..<4]) == Array("RF64".utf8) && Array(head[12..<16]) == Array("ds64".utf8))
        #expect(number(head, 4, 4) == UInt64(UInt32.max) && number(head, 28, 8) == size)
        #expect(number(head, 20, 8) == size + UInt64(head.count) - 8 && number(head, 36, 8) == size / 4)
        let small = container.head(AudioExtent(byteCount: 4, frameCount: 1))
        #expect(Array(small[0..<4]) == Array("RIFF".utf8) && number(small, 4, 4) == UInt64(small.count) - 8 + 4)
    }

    @Test func caf_compressed_listsItsPackets() throws {
        let format = AudioFormat(
            codec: .alac, sampleRate: 48_000, channelCount: 2, decoderConfiguration: Array(repeating: 0, count: 24),
            framesPerPacket: 4096)
        let container = try CAFContainer(format)
        var extent = AudioExtent()
        for size in [100, 300] { extent.add(size, frames: 4096, isPacket: true) }
        extent.frameCount = 5000
        let tail = container.tail(extent)
        // The number of packets and frames, no priming, the rest of the last packet, and sizes in groups of seven bits.
        #expect(Array(tail[0..<12]) == Array("pakt".utf8) + [0, 0, 0, 0, 0, 0, 0, 27])
        #expect(Array(tail[12..<20]) == [0, 0, 0, 0, 0, 0, 0, 2])
        #expect(Array(tail[20..<28]) == [0, 0, 0, 0, 0, 0, 0x13, 0x88])
        #expect(Array(tail[28...]) == [0, 0, 0, 0, 0, 0, 0x0C, 0x78, 100, 0x82, 0x2C])
    }

    @Test func aiff_tooLong_isLimited() throws {
        let format = AudioFormat(pcm: .s16, sampleRate: 44_100, channelCount: 1, isBigEndian: true)
        let container = try AIFFContainer(format, isCompressedForm: false)
        #expect(container.largestByteCount == 0x7FFF_0000)
        // The sample rate as 80 bits: 44,100 = 1.0101100010001 × 2^15.
        let head = container.head(AudioExtent(byteCount: 2, frameCount: 1))
        #expect(Array(head[28..<38]) == [0x40, 0x0E, 0xAC, 0x44, 0, 0, 0, 0, 0, 0])
    }

    @Test func flac_finished_statesItsLength() throws {
        let format = AudioFormat(
            codec: .flac, sampleRate: 48_000, channelCount: 2, decoderConfiguration: Array(repeating: 0xFF, count: 34))
        let head = try FLACContainer(format).head(
            AudioExtent(byteCount: 9, frameCount: 0x1_2345_6789, packetSizes: [4, 5]))
        #expect(Array(head[0..<8]) == Array("fLaC".utf8) + [0x80, 0, 0, 34])
        #expect(Array(head[12..<18]) == [0, 0, 4, 0, 0, 5] && Array(head[21..<26]) == [0xF1, 0x23, 0x45, 0x67, 0x89])
    }

    @Test func wave_unusualLoudspeakers_areStored() throws {
        let rear = ChannelLayout([.backLeft, .backRight])
        let format = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 2, layout: rear)
        let head = try WaveContainer(format).head(nil)
        // WAVEFORMATEXTENSIBLE with the bits of the two loudspeakers; plain stereo needs neither.
        #expect(Array(head[48..<52]) == Array("fmt ".utf8))
        #expect(number(head, 52, 4) == 40 && number(head, 76, 4) == 0x30)
        let plain = try WaveContainer(stereo).head(nil)
        #expect(number(plain, 52, 4) == 16)
    }

    @Test func aiff_unusualLoudspeakers_areStored() throws {
        let rear = ChannelLayout([.backLeft, .backRight])
        func head(_ layout: ChannelLayout?) throws -> [UInt8] {
            let format = AudioFormat(
                pcm: .s16, sampleRate: 48_000, channelCount: 2, layout: layout, isBigEndian: true)
            return try AIFFContainer(format, isCompressedForm: false).head(nil)
        }
        // A bitmap of loudspeakers.
        let rearChunk: [UInt8] = [0, 0, 0, 12, 0, 1, 0, 0, 0, 0, 0, 0x30, 0, 0, 0, 0]
        let (marked, plain, stereo) = (try head(rear), try head(nil), try head(.stereo))
        #expect(Array(marked[38..<58]) == Array("CHAN".utf8) + rearChunk)
        #expect(Array(plain[38..<42]) == Array("SSND".utf8) && stereo == plain)
    }

    @Test func caf_surround_hasTheOrderOfItsChannels() throws {
        let pcm = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 6, layout: .surround51)
        let coded = AudioFormat(
            codec: .alac, sampleRate: 48_000, channelCount: 6, layout: .surround51,
            decoderConfiguration: Array(repeating: 0, count: 24), framesPerPacket: 4096)
        // The bits of the loudspeakers: L R C LFE Ls Rs. Apple Lossless has C L R Ls Rs LFE: MPEG_5_1_D.
        let cases: [(AudioFormat, [UInt8])] = [
            (pcm, [0, 1, 0, 0, 0, 0, 0, 0x3F]), (coded, [0, 124, 0, 6, 0, 0, 0, 0]),
        ]
        for (format, words) in cases {
            let head = try CAFContainer(format).head(nil)
            #expect(Array(head[52..<64]) == Array("chan".utf8) + [0, 0, 0, 0, 0, 0, 0, 12])
            #expect(Array(head[64..<72]) == words)
        }
    }

    @Test func flac_unusualLoudspeakers_areStored() throws {
        func head(_ layout: ChannelLayout) throws -> [UInt8] {
            let format = AudioFormat(
                codec: .flac, sampleRate: 48_000, channelCount: 4, layout: layout,
                decoderConfiguration: Array(repeating: 0xFF, count: 34))
            return try FLACContainer(format).head(nil)
        }
        // L R C Cs; FLAC's own four are L R Ls Rs.
        let text = Array("WAVEFORMATEXTENSIBLE_CHANNEL_MASK=0x107".utf8)
        let marked = try head(.quad)
        #expect(Array(marked[4..<8]) == [0, 0, 0, 34])
        #expect(Array(marked[42..<54]) == [0x84, 0, 0, UInt8(12 + text.count), 0, 0, 0, 0, 1, 0, 0, 0])
        #expect(Array(marked[54...]) == [UInt8(text.count), 0, 0, 0] + text)
        let discrete = try head(.discrete(4))
        #expect(Array(discrete.suffix(4)) == Array("=0x0".utf8))
        let usual = try head(ChannelLayout([.frontLeft, .frontRight, .backLeft, .backRight]))
        #expect(usual.count == 42 && usual[4] == 0x80)
        let mixed = ChannelLayout([.frontCenter, .frontLeft, .frontRight, .backCenter])
        let error = #expect(throws: MediaError.self) { try head(mixed) }
        #expect(error?.code == .invalidSettings)
    }

    /// A file of at most 10,000 bytes, whose head is the number of its bytes.
    private struct SmallContainer: AudioContainer {
        let largestByteCount: UInt64? = 10_000

        func head(_ extent: AudioExtent?) -> [UInt8] {
            var list = ByteList()
            list.big(extent?.byteCount ?? 0)
            return list.bytes
        }
    }

    @Test func write_fails_theFileIsCompleteUpToThere() throws {
        let directory = try TemporaryDirectory()
        let file = try PlainAudioFile(
            path: directory.path("a.wav"), .wave, settings: AudioSettings(codec: .linearPCM), input: stereo,
            replacesExisting: false, container: SmallContainer())
        let pcm = [UInt8](repeating: 7, count: 40_000)
        let failed = #expect(throws: MediaError.self) { try pcm.withUnsafeBytes { try file.write($0) } }
        #expect(failed?.action.contains(directory.path("a.wav")) == true)
        let finished = #expect(throws: MediaError.self) { try file.finish() }
        #expect(finished == failed)
        let bytes = [UInt8](try Data(contentsOf: directory.file("a.wav")))
        let stated = bytes.prefix(8).reduce(0) { $0 << 8 | Int($1) }
        #expect((4000...10_000).contains(stated) && bytes.count == 8 + stated)
        #expect(bytes.dropFirst(8).allSatisfy { $0 == 7 })
    }
}

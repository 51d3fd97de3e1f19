import MediaTypes
import MovieFile

/// A Core Audio Format file (Apple Core Audio Format Specification 1.0) with linear PCM or Apple Lossless.
struct CAFContainer: AudioContainer {
    private let format: AudioFormat

    /// - Throws: `invalidSettings` for any other codec.
    init(_ format: AudioFormat) throws(MediaError) {
        guard format.pcm != nil || format.codec == .alac else {
            throw MediaError(
                .invalidSettings, "cannot write a .caf file with \(format.codec)",
                reason: "only linear PCM and Apple Lossless are supported there",
                wayOut: "use a .m4a file for aac, and a .flac file for flac")
        }
        self.format = format
    }

    func head(_ extent: AudioExtent?) -> [UInt8] {
        var list = ByteList()
        list.text("caff")
        list.big(UInt16(1))
        list.big(UInt16(0))
        list.text("desc")
        list.big(Int64(32))
        list.raw(description)
        if format.channelCount > 2 || format.layout != nil, let payload = ChannelLayoutAtom.payload(format) {
            list.text("chan")
            list.big(Int64(payload.count))
            list.raw(payload)
        }
        if format.pcm == nil {
            list.text("kuki")
            list.big(Int64(format.decoderConfiguration.count))
            list.raw(format.decoderConfiguration)
        }
        list.text("data")
        // −1 means that the audio extends to the end of the file. The size includes the four bytes of the edit count.
        list.big(extent.map { Int64(clamping: $0.byteCount) + 4 } ?? -1)
        list.big(UInt32(0))
        return list.bytes
    }

    /// Returns the table of packets; no bytes for linear PCM, which has no packets.
    func tail(_ extent: AudioExtent) -> [UInt8] {
        guard format.pcm == nil else { return [] }
        let frames = Int64(extent.packetSizes.count) * Int64(format.framesPerPacket)
        var body = ByteList()
        body.big(Int64(extent.packetSizes.count))
        body.big(extent.frameCount)
        // The number of priming frames, which is 0. The last packet may end early.
        body.big(Int32(0))
        body.big(Int32(clamping: max(0, frames - extent.frameCount)))
        for size in extent.packetSizes { body.raw(Self.variable(size)) }
        var list = ByteList()
        list.text("pakt")
        list.big(Int64(body.bytes.count))
        list.raw(body.bytes)
        return list.bytes
    }

    private var description: [UInt8] {
        var list = ByteList()
        list.big(Double(format.sampleRate).bitPattern)
        if let pcm = format.pcm {
            let size = UInt32(pcm.byteCount * format.channelCount)
            list.text("lpcm")
            list.big(UInt32((pcm.isFloatingPoint ? 1 : 0) | (format.isBigEndian ? 0 : 2)))
            list.big(size)
            list.big(UInt32(1))
            list.big(UInt32(format.channelCount))
            list.big(UInt32(pcm.byteCount * 8))
        } else {
            list.text("alac")
            // The flag for the bit depth. The sixth byte of the configuration is the bit depth itself.
            let depth = format.decoderConfiguration.count > 5 ? format.decoderConfiguration[5] : 16
            list.big(UInt32(depth == 16 ? 1 : depth == 20 ? 2 : depth == 24 ? 3 : 4))
            list.big(UInt32(0))
            list.big(UInt32(clamping: format.framesPerPacket))
            list.big(UInt32(format.channelCount))
            list.big(UInt32(0))
        }
        return list.bytes
    }

    /// Returns a number in groups of seven bits, the highest first; all but the last have the top bit set.
    private static func variable(_ number: UInt32) -> [UInt8] {
        var bytes = [UInt8(number & 0x7F)]
        var rest = number >> 7
        while rest > 0 {
            bytes.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
            rest >>= 7
        }
        return bytes
    }
}

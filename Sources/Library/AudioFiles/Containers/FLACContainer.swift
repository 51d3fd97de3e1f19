import MediaTypes

/// A FLAC file (RFC 9639): the marker `fLaC`, STREAMINFO, a comment that states unusual loudspeakers, and the frames as
/// the encoder returns them.
struct FLACContainer: AudioContainer {
    private let configuration: [UInt8]
    /// The metadata block with the channel mask; empty if the channels are those that FLAC defines for their count.
    private let comment: [UInt8]

    /// - Throws: `invalidSettings` for any other codec, and for loudspeakers that a channel mask cannot state.
    init(_ format: AudioFormat) throws(MediaError) {
        guard format.codec == .flac, format.decoderConfiguration.count == 34 else {
            throw MediaError(
                .invalidSettings, "cannot write a .flac file with \(format.codec)", reason: "it stores flac only")
        }
        configuration = format.decoderConfiguration
        let usual = CodecChannelOrder(.flac, layout: format.layout, channelCount: format.channelCount)?.layout
        guard let layout = format.layout, layout != usual else {
            comment = []
            return
        }
        if layout.isDiscrete {
            comment = Self.comment(mask: 0)
        } else if let mask = layout.mask, mask < 1 << 18 {
            comment = Self.comment(mask: mask)
        } else {
            throw MediaError(
                .invalidSettings, "cannot write a .flac file with the channels \(layout.rawValue)",
                reason: "it stores loudspeakers in the order of its channel mask",
                wayOut: "use the usual order, a discrete layout, or a .caf file")
        }
    }

    /// Returns a metadata block with one comment, which states the channel mask. The mask is 0 for channels without
    /// loudspeakers (8.6.2).
    private static func comment(mask: UInt64) -> [UInt8] {
        let text = Array("WAVEFORMATEXTENSIBLE_CHANNEL_MASK=0x\(String(mask, radix: 16))".utf8)
        var body = ByteList()
        // The length of the vendor's name, which is empty, and the number of comments.
        body.little(UInt32(0))
        body.little(UInt32(1))
        body.little(UInt32(text.count))
        body.raw(text)
        var list = ByteList()
        // The last metadata block, of type 4.
        list.big(UInt32(0x8400_0000) | UInt32(body.bytes.count))
        list.raw(body.bytes)
        return list.bytes
    }

    func head(_ extent: AudioExtent?) -> [UInt8] {
        var stored = configuration
        let sizes = extent?.packetSizes ?? []
        // Sizes of frames in 24 bits each, and the total in 36 bits (8.2); 0 is unknown.
        Self.store(UInt64(sizes.min() ?? 0), in: &stored[4..<7])
        Self.store(UInt64(sizes.max() ?? 0), in: &stored[7..<10])
        let frames = UInt64(max(0, extent?.frameCount ?? 0))
        let total = frames < 1 << 36 ? frames : 0
        stored[13] = stored[13] & 0xF0 | UInt8(total >> 32)
        Self.store(total & 0xFFFF_FFFF, in: &stored[14..<18])
        var list = ByteList()
        list.text("fLaC")
        // The header of a metadata block of type 0: its top bit marks the last block.
        let isLast: UInt32 = comment.isEmpty ? 0x8000_0000 : 0
        list.big(isLast | UInt32(stored.count))
        list.raw(stored)
        list.raw(comment)
        return list.bytes
    }

    private static func store(_ number: UInt64, in bytes: inout ArraySlice<UInt8>) {
        for (place, index) in bytes.indices.reversed().enumerated() {
            bytes[index] = UInt8(truncatingIfNeeded: number >> UInt64(8 * place))
        }
    }
}

/// Builds the AVCDecoderConfigurationRecord, the payload of `avcC` (ISO/IEC 14496-15, 5.3.3.1), from parameter sets.
package struct AVCConfiguration: Sendable {
    private var sets = NumberedSets()
    /// The record; empty unless both kinds of parameter sets are known.
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Accepts a NAL unit without its start code or length. Ignores units that are not parameter sets.
    mutating func take(_ unit: UnsafeRawBufferPointer) { _ = changes(with: unit) }

    /// Accepts a NAL unit. Returns true if the unit is a parameter set that differs from the earlier ones.
    package mutating func changes(with unit: UnsafeRawBufferPointer) -> Bool {
        guard let kind = unit.first.map({ $0 & 0x1F }), kind == 7 || kind == 8 else { return false }
        // Some cameras repeat the same parameter sets with every frame.
        if sets.isKnown(unit, kind: kind, isOrdered: kind == 7) { return false }
        let isNew: Bool
        switch kind {
        case 7:
            var bits = BitReader(Array(unit.dropFirst(4).prefix(8))[...])
            isNew = sets.take(unit, kind: 7, number: bits.golomb() ?? 0, parent: nil, child: 8, limit: 31)
        default:
            var bits = BitReader(Array(unit.dropFirst().prefix(16))[...])
            guard let number = bits.golomb() else { return false }
            isNew = sets.take(unit, kind: 8, number: number, parent: bits.golomb(), child: nil, limit: 255)
        }
        if isNew { bytes = record }
        return isNew
    }

    /// The frame size of the latest sequence parameter set in pixels; nil without a readable set.
    package var frameSize: (width: Int, height: Int)? {
        sets.latest(7).flatMap(H264SequenceParameters.init).map { ($0.width, $0.height) }
    }

    /// The reorder depth according to the latest sequence parameter set: the maximum number of frames that are decoded
    /// before another frame and shown after that frame. Nil if the set does not contain the depth.
    package var reorderDepth: Int? { sets.latest(7).flatMap(H264SequenceParameters.init)?.reorderDepth }

    private var record: [UInt8] {
        let (sequences, frames) = (sets.all(7), sets.all(8))
        guard let latest = sets.latest(7), latest.count >= 4, !frames.isEmpty else { return [] }
        let profile = latest[1]
        var record: [UInt8] = [1, profile, latest[2], latest[3]]
        record.append(0xFF)  // lengths of four bytes
        record.append(0xE0 | UInt8(sequences.count))
        for set in sequences { record += Self.lengthPrefixed(set) }
        record.append(UInt8(frames.count))
        for set in frames { record += Self.lengthPrefixed(set) }
        // The High profiles add chroma format, bit depths, and an empty list of extension sets.
        if ![66, 77, 88].contains(profile) {
            let frame = Self.frameFormat(latest)
            record += [0xFC | frame.chroma, 0xF8 | frame.lumaDepth, 0xF8 | frame.chromaDepth, 0]
        }
        return record
    }

    /// Returns chroma_format_idc and the bit depths minus eight (ITU-T H.264, 7.3.2.1.1). If they are unreadable,
    /// returns 4:2:0 and eight bits.
    private static func frameFormat(_ set: [UInt8]) -> (chroma: UInt8, lumaDepth: UInt8, chromaDepth: UInt8) {
        var bits = BitReader(set.dropFirst(4))
        guard bits.golomb() != nil, let chroma = bits.golomb(), chroma <= 3 else { return (1, 0, 0) }
        if chroma == 3 { _ = bits.bit() }  // separate_colour_plane_flag
        guard let luma = bits.golomb(), let other = bits.golomb(), luma <= 6, other <= 6 else { return (1, 0, 0) }
        return (UInt8(chroma), UInt8(luma), UInt8(other))
    }

    private static func lengthPrefixed(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8(truncatingIfNeeded: bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)] + bytes
    }
}

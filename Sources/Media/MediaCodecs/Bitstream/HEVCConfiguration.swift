/// Builds the HEVCDecoderConfigurationRecord, the payload of `hvcC` (ISO/IEC 14496-15, 8.3.3.1), from an encoder's
/// header.
enum HEVCConfiguration {
    /// - Parameter header: parameter sets, and messages about the entire stream, after start codes.
    /// - Returns: nil if a parameter set is missing.
    static func record(_ header: UnsafeRawBufferPointer) -> [UInt8]? {
        var units: [UInt8: [[UInt8]]] = [:]
        AnnexB.forEachUnit(header) { unit in units[unit[0] >> 1 & 0x3F, default: []].append(Array(unit)) }
        guard units[32] != nil, let sequence = units[33]?.first, units[34] != nil,
            let frame = SequenceParameters(sequence)
        else { return nil }
        var record: [UInt8] = [1]
        // Profile, compatibility, constraints and level are copied from the parameter set.
        record += frame.profileTierLevel
        record += [0xF0, 0]  // min_spatial_segmentation_idc: unknown
        record.append(0xFC)  // parallelismType: unknown
        record += [0xFC | frame.chroma, 0xF8 | frame.lumaDepth, 0xF8 | frame.chromaDepth]
        record += [0, 0]  // avgFrameRate: unknown
        record.append(frame.layers << 3 | (frame.isNested ? 4 : 0) | 3)  // lengths of four bytes
        // 39 is a message before the frames, such as the mastering display.
        let kinds = [UInt8(32), 33, 34, 39].filter { units[$0] != nil }
        record.append(UInt8(kinds.count))
        for kind in kinds {
            let sets = units[kind] ?? []
            // Parameter sets are stored only here; messages may also occur in the frames.
            record.append((kind == 39 ? 0 : 0x80) | kind)
            record += [0, UInt8(clamping: sets.count)]
            for set in sets.prefix(255) {
                record += [UInt8(truncatingIfNeeded: set.count >> 8), UInt8(truncatingIfNeeded: set.count)] + set
            }
        }
        return record
    }

    /// Returns the frame size of a sequence parameter set in pixels, after cropping; nil for other units.
    static func frameSize(_ sequence: [UInt8]) -> (width: Int, height: Int)? {
        SequenceParameters(sequence).flatMap { $0.width > 0 && $0.height > 0 ? ($0.width, $0.height) : nil }
    }

    /// Returns the reorder depth in a sequence parameter set; nil for other units.
    static func reorderDepth(_ sequence: [UInt8]) -> Int? { SequenceParameters(sequence)?.reorderDepth }

    /// Returns the number of a sequence parameter set; nil for other units.
    static func sequenceNumber(_ sequence: [UInt8]) -> UInt32? { SequenceParameters(sequence)?.number }

    /// The fields of a sequence parameter set that this library uses (ITU-T H.265, 7.3.2.2).
    private struct SequenceParameters {
        var number: UInt32
        var profileTierLevel: [UInt8]
        var layers: UInt8
        var isNested: Bool
        var chroma: UInt8
        var lumaDepth: UInt8
        var chromaDepth: UInt8
        var width: Int
        var height: Int
        var reorderDepth: Int?

        init?(_ unit: [UInt8]) {
            let bytes = EmulationPrevention.removed(from: unit.dropFirst(2))
            guard bytes.count > 14 else { return nil }
            let moreLayers = bytes[0] >> 1 & 7
            layers = moreLayers + 1
            isNested = bytes[0] & 1 != 0
            profileTierLevel = Array(bytes[1..<13])
            var bits = BitReader(bytes[13...])
            if moreLayers > 0 {
                var present: [(Bool, Bool)] = []
                for _ in 0..<8 {
                    guard let profile = bits.bit(), let level = bits.bit() else { return nil }
                    present.append((profile == 1, level == 1))
                }
                for layer in present.prefix(Int(moreLayers)) {
                    for _ in 0..<((layer.0 ? 88 : 0) + (layer.1 ? 8 : 0)) { _ = bits.bit() }
                }
            }
            guard let number = bits.golomb(), let chroma = bits.golomb(), chroma <= 3 else { return nil }
            self.number = number
            if chroma == 3 { _ = bits.bit() }
            guard let across = bits.golomb(), let down = bits.golomb(), let isCropped = bits.bit() else { return nil }
            (width, height) = (Int(across), Int(down))
            if isCropped == 1 {
                for side in 0..<4 {
                    guard let pixels = bits.golomb() else { return nil }
                    if side < 2 {
                        width -= Int(pixels) * (chroma == 1 || chroma == 2 ? 2 : 1)
                    } else {
                        height -= Int(pixels) * (chroma == 1 ? 2 : 1)
                    }
                }
            }
            guard let luma = bits.golomb(), let other = bits.golomb(), luma <= 7, other <= 7 else { return nil }
            (self.chroma, lumaDepth, chromaDepth) = (UInt8(chroma), UInt8(luma), UInt8(other))
            reorderDepth = Self.reorderDepth(&bits, moreLayers: moreLayers)
        }

        /// Reads sps_max_num_reorder_pics of the highest temporal layer.
        private static func reorderDepth(_ bits: inout BitReader, moreLayers: UInt8) -> Int? {
            guard bits.golomb() != nil, let isOfEach = bits.bit() else { return nil }
            var depth: Int?
            for _ in 0...(isOfEach == 1 ? moreLayers : 0) {
                guard bits.golomb() != nil, let frames = bits.golomb(), bits.golomb() != nil, frames <= 16 else {
                    return nil
                }
                depth = Int(frames)
            }
            return depth
        }
    }
}

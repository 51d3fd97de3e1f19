/// The AVCDecoderConfigurationRecord, payload of `avcC` (ISO/IEC 14496-15, 5.3.3.1), put together from parameter sets.
struct AVCConfiguration {
    private var sequenceParameterSet: [UInt8] = []
    /// By their ids, in the order of their first coming: a stream may use several.
    private var pictureParameterSets: [(id: UInt32, bytes: [UInt8])] = []
    /// Empty without both kinds of parameter sets.
    private(set) var bytes: [UInt8] = []

    /// Takes a NAL unit without its start code or length; what is no parameter set is left alone.
    mutating func take(_ unit: UnsafeRawBufferPointer) {
        guard let type = unit.first.map({ $0 & 0x1F }), type == 7 || type == 8 else { return }
        // Some cameras send the same ones with every picture.
        if type == 7 ? sequenceParameterSet.elementsEqual(unit) : isOnlyPictureSet(unit) { return }
        take(Array(unit))
        bytes = record
    }

    private func isOnlyPictureSet(_ unit: UnsafeRawBufferPointer) -> Bool {
        pictureParameterSets.count == 1 && pictureParameterSets[0].bytes.elementsEqual(unit)
    }

    private mutating func take(_ unit: [UInt8]) {
        switch unit.first.map({ $0 & 0x1F }) {
        case 7: sequenceParameterSet = unit
        case 8:
            var bits = BitReader(unit.dropFirst())
            guard let id = bits.golomb() else { return }
            if let index = pictureParameterSets.firstIndex(where: { $0.id == id }) {
                pictureParameterSets[index].bytes = unit
            } else if pictureParameterSets.count < 255 {
                pictureParameterSets.append((id, unit))
            }
        default: break
        }
    }

    private var record: [UInt8] {
        guard sequenceParameterSet.count >= 4, !pictureParameterSets.isEmpty else { return [] }
        let profile = sequenceParameterSet[1]
        var record: [UInt8] = [1, profile, sequenceParameterSet[2], sequenceParameterSet[3]]
        record.append(0xFF)  // lengths of four bytes
        record.append(0xE1)  // one sequence parameter set
        record += Self.lengthPrefixed(sequenceParameterSet)
        record.append(UInt8(pictureParameterSets.count))
        for set in pictureParameterSets { record += Self.lengthPrefixed(set.bytes) }
        // The High profiles add chroma format and bit depths, and no extension sets.
        if ![66, 77, 88].contains(profile) {
            let picture = pictureFormat
            record += [0xFC | picture.chroma, 0xF8 | picture.lumaDepth, 0xF8 | picture.chromaDepth, 0]
        }
        return record
    }

    /// chroma_format_idc and the bit depths less eight (ITU-T H.264, 7.3.2.1.1); 4:2:0 and eight bits when unreadable.
    private var pictureFormat: (chroma: UInt8, lumaDepth: UInt8, chromaDepth: UInt8) {
        var bits = BitReader(sequenceParameterSet.dropFirst(4))
        guard bits.golomb() != nil, let chroma = bits.golomb(), chroma <= 3 else { return (1, 0, 0) }
        if chroma == 3 { _ = bits.bit() }  // separate_colour_plane_flag
        guard let luma = bits.golomb(), let other = bits.golomb(), luma <= 6, other <= 6 else { return (1, 0, 0) }
        return (UInt8(chroma), UInt8(luma), UInt8(other))
    }

    private static func lengthPrefixed(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8(truncatingIfNeeded: bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)] + bytes
    }
}

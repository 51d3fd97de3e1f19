package import MediaTypes

/// Converts H.264 and HEVC as cameras send them (ITU-T H.264 and H.265, Annex B: start codes) to the form in movie files
/// (ISO/IEC 14496-15: lengths, separate parameter sets).
package struct AnnexBConverter {
    package struct Frame {
        /// NAL units, each after its length in four bytes, without parameter sets.
        package var data: MediaData
        /// True if decoding can begin with the frame: an IDR picture of H.264, a random access point of HEVC.
        package var isKeyframe: Bool
    }

    /// The treatment of a NAL unit.
    private enum Kind {
        case slice(isKeyframe: Bool)
        case parameterSet
        /// A message or the like, which is stored with the frame.
        case other
        /// A unit that is not stored in movie files, or not one of the codec.
        case omitted
    }

    /// H.264 or HEVC.
    package let codec: VideoCodec
    private var avc = AVCConfiguration()
    private var hevc = HEVCParameterSets()
    /// The memory in which a frame is assembled, before it is copied into memory of exactly its size.
    private let scratch = ScratchMemory()
    /// The memory for packets. Except for keyframes, few camera frames are larger than 32 KiB. `capacity` is the number
    /// of packets that wait for a fragment.
    private let packets = MediaDataPool(byteCount: 32 << 10, capacity: 64)

    /// - Parameter codec: `hevc`; any other counts as H.264.
    package init(_ codec: VideoCodec = .h264) { self.codec = codec }

    /// The payload of `avcC` or `hvcC`; empty until all kinds of parameter sets have been received.
    package var decoderConfiguration: [UInt8] { codec == .hevc ? hevc.bytes : avc.bytes }

    /// Width and height in the latest sequence parameter set; nil without a readable one.
    package var frameSize: (width: Int, height: Int)? { codec == .hevc ? hevc.frameSize : avc.frameSize }

    /// Converts one access unit. Returns nil if it contains no frame, or if it does not begin with a start code. Such
    /// data, for example an old driver buffer, must not be searched for parameter sets.
    package mutating func convert(_ accessUnit: UnsafeRawBufferPointer) -> Frame? {
        guard let first = accessUnit.firstIndex(where: { $0 != 0 }), first >= 2, accessUnit[first] == 1 else {
            return nil
        }
        // Each unit has at least one byte after a start code of three, and gets a length of four.
        let target = scratch.bytes(accessUnit.count + accessUnit.count / 4 + 4)
        let isHEVC = codec == .hevc
        var count = 0
        var (hasSlice, isKeyframe) = (false, false)
        AnnexB.forEachUnit(accessUnit) { unit in
            switch isHEVC ? Self.hevcKind(unit) : Self.avcKind(unit) {
            case .omitted: return
            case .parameterSet:
                // Parameter sets precede the slices (H.264, 7.4.1.2.3; H.265, 7.4.2.4.4); a later one is a remainder
                // that a driver left in the buffer.
                if hasSlice { return }
                if isHEVC { _ = hevc.changes(with: unit) } else { avc.take(unit) }
                return
            case .slice(let isEntry):
                hasSlice = true
                if isEntry { isKeyframe = true }
            case .other: break
            }
            target.storeBytes(of: UInt32(clamping: unit.count).bigEndian, toByteOffset: count, as: UInt32.self)
            UnsafeMutableRawBufferPointer(rebasing: target[(count + 4)...]).copyMemory(from: unit)
            count += 4 + unit.count
        }
        guard hasSlice else { return nil }
        let bytes = UnsafeRawBufferPointer(rebasing: target[..<count])
        return Frame(data: packets.copy(bytes), isKeyframe: isKeyframe)
    }

    /// ITU-T H.264, table 7-1. Access unit delimiters are not stored in a movie file.
    private static func avcKind(_ unit: UnsafeRawBufferPointer) -> Kind {
        switch unit[0] & 0x1F {
        case 1: .slice(isKeyframe: false)
        case 5: .slice(isKeyframe: true)
        case 7, 8: .parameterSet
        case 0, 9, 24...31: .omitted
        default: .other
        }
    }

    /// ITU-T H.265, table 7-1. Delimiters and filler are not stored in a movie file; a unit has a header of two bytes.
    private static func hevcKind(_ unit: UnsafeRawBufferPointer) -> Kind {
        guard unit.count > 2, unit[0] & 0x80 == 0 else { return .omitted }
        let type = unit[0] >> 1 & 0x3F
        return switch type {
        case 0...9: .slice(isKeyframe: false)
        case 16...21: .slice(isKeyframe: true)
        case 32...34: HEVCParameterSets.isSet(unit) ? .parameterSet : .other
        case 10...15, 22...31, 35, 38, 48...63: .omitted
        default: .other
        }
    }
}

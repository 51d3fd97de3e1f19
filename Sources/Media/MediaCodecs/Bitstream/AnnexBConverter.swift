package import MediaTypes

/// Converts H.264 and HEVC from the form that cameras send to the form in movie files. Cameras send NAL units after
/// start codes (ITU-T H.264 and H.265, Annex B). Movie files store NAL units after their lengths, and parameter sets
/// separately (ISO/IEC 14496-15).
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
        /// A unit that is stored with the frame, such as a message.
        case other
        /// A unit that is not stored in movie files, or that is invalid in this codec.
        case omitted
    }

    /// H.264 or HEVC.
    package let codec: VideoCodec
    private var avc = AVCConfiguration()
    private var hevc = HEVCParameterSets()
    /// The memory in which a frame is assembled, before the frame is copied into a packet.
    private let scratch = ScratchMemory()
    /// The memory for packets. Except for keyframes, few camera frames are larger than 32 KiB. `capacity` is the usual
    /// number of packets that wait for the end of a fragment.
    private let packets = MediaDataPool(byteCount: 32 << 10, capacity: 64)

    /// - Parameter codec: `hevc`; any other codec counts as H.264.
    package init(_ codec: VideoCodec = .h264) { self.codec = codec }

    /// The payload of `avcC` or `hvcC`; empty until all kinds of parameter sets have been received.
    package var decoderConfiguration: [UInt8] { codec == .hevc ? hevc.bytes : avc.bytes }

    /// Width and height in the latest sequence parameter set; nil without a readable set.
    package var frameSize: (width: Int, height: Int)? { codec == .hevc ? hevc.frameSize : avc.frameSize }

    /// Converts one access unit. Returns nil if the access unit contains no frame, or if it does not begin with a start
    /// code. Data without a start code at its beginning, for example an old driver buffer, must not be searched for
    /// parameter sets.
    package mutating func convert(_ accessUnit: UnsafeRawBufferPointer) -> Frame? {
        guard let first = accessUnit.firstIndex(where: { $0 != 0 }), first >= 2, accessUnit[first] == 1 else {
            return nil
        }
        // Each unit has at least four bytes: a start code of three, and one more. It grows by one byte, because its
        // length has four bytes.
        let target = scratch.bytes(accessUnit.count + accessUnit.count / 4 + 4)
        let isHEVC = codec == .hevc
        var count = 0
        var (hasSlice, isKeyframe) = (false, false)
        AnnexB.forEachUnit(accessUnit) { unit in
            switch isHEVC ? Self.hevcKind(unit) : Self.avcKind(unit) {
            case .omitted: return
            case .parameterSet:
                // Parameter sets precede the slices (H.264, 7.4.1.2.3; H.265, 7.4.2.4.4); a parameter set after a slice
                // is a remainder that a driver left in the buffer.
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

    /// Returns the treatment of an H.264 unit (ITU-T H.264, table 7-1). A movie file does not store access unit
    /// delimiters.
    private static func avcKind(_ unit: UnsafeRawBufferPointer) -> Kind {
        switch unit[0] & 0x1F {
        case 1: .slice(isKeyframe: false)
        case 5: .slice(isKeyframe: true)
        case 7, 8: .parameterSet
        case 0, 9, 24...31: .omitted
        default: .other
        }
    }

    /// Returns the treatment of an HEVC unit (ITU-T H.265, table 7-1). A movie file stores no delimiters and no filler.
    /// A unit has a header of two bytes.
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

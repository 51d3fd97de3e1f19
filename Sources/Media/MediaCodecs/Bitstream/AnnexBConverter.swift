package import MediaTypes

/// Converts H.264 as cameras send it (ITU-T H.264, Annex B: start codes) to the form in movie files (ISO/IEC 14496-15:
/// lengths, separate parameter sets).
package struct AnnexBConverter {
    package struct Frame {
        /// NAL units, each after its length in four bytes, without parameter sets.
        package var data: MediaData
        /// True if the frame starts with an IDR picture (nal_unit_type 5).
        package var isKeyframe: Bool
    }

    private var configuration = AVCConfiguration()
    /// The memory in which a frame is assembled, before it is copied into memory of exactly its size.
    private let scratch = ScratchMemory()
    /// The memory for packets. Except for keyframes, few camera frames are larger than 32 KiB. `capacity` is the number
    /// of packets that wait for a fragment.
    private let packets = MediaDataPool(byteCount: 32 << 10, capacity: 64)

    package init() {}

    /// The AVCDecoderConfigurationRecord; empty until both parameter sets have been received.
    package var decoderConfiguration: [UInt8] { configuration.bytes }

    /// Width and height in the latest sequence parameter set; nil without a readable one.
    package var frameSize: (width: Int, height: Int)? { configuration.frameSize }

    /// Converts one access unit. Returns nil if it contains no frame, or if it does not begin with a start code. Such
    /// data, for example an old driver buffer, must not be searched for parameter sets.
    package mutating func convert(_ accessUnit: UnsafeRawBufferPointer) -> Frame? {
        guard let first = accessUnit.firstIndex(where: { $0 != 0 }), first >= 2, accessUnit[first] == 1 else {
            return nil
        }
        // Each unit has at least one byte after a start code of three, and gets a length of four.
        let target = scratch.bytes(accessUnit.count + accessUnit.count / 4 + 4)
        var count = 0
        var (hasSlice, isKeyframe) = (false, false)
        AnnexB.forEachUnit(accessUnit) { unit in
            switch unit[0] & 0x1F {
            case 7, 8:
                // Parameter sets precede the slices (7.4.1.2.3); a later one is a remainder that a driver left in the
                // buffer.
                if !hasSlice { configuration.take(unit) }
            case 9: break  // access unit delimiters are not stored in a movie file
            case 0, 24...31: break  // not H.264 (table 7-1)
            case let type:
                if type == 5 { isKeyframe = true }
                if type == 1 || type == 5 { hasSlice = true }
                target.storeBytes(of: UInt32(clamping: unit.count).bigEndian, toByteOffset: count, as: UInt32.self)
                UnsafeMutableRawBufferPointer(rebasing: target[(count + 4)...]).copyMemory(from: unit)
                count += 4 + unit.count
            }
        }
        guard hasSlice else { return nil }
        let bytes = UnsafeRawBufferPointer(rebasing: target[..<count])
        return Frame(data: packets.copy(bytes), isKeyframe: isKeyframe)
    }
}

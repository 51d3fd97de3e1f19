package import MediaTypes

/// H.264 as cameras send it (ITU-T H.264, Annex B: start codes) turned into what a movie file holds
/// (ISO/IEC 14496-15: lengths, parameter sets apart).
package struct AnnexBConverter {
    package struct Picture {
        /// NAL units, each behind its length in four bytes; parameter sets left out.
        package var data: MediaData
        /// It begins with an IDR picture (nal_unit_type 5).
        package var isKeyFrame: Bool
    }

    private var configuration = AVCConfiguration()
    /// A picture is put together here and then copied, so that it takes no more memory than it has bytes.
    private let scratch = ScratchMemory()
    /// Few pictures of cameras but key frames are larger; as many as wait for a fragment.
    private let packets = MediaDataPool(byteCount: 32 << 10, capacity: 64)

    package init() {}

    /// The AVCDecoderConfigurationRecord; empty until both parameter sets have come by.
    package var decoderConfiguration: [UInt8] { configuration.bytes }

    /// Converts one access unit; nil when it holds no picture, or does not begin with a start code: then it is something
    /// else, as an old buffer of a driver, and must not be searched for parameter sets.
    package mutating func convert(_ accessUnit: UnsafeRawBufferPointer) -> Picture? {
        guard let first = accessUnit.firstIndex(where: { $0 != 0 }), first >= 2, accessUnit[first] == 1 else {
            return nil
        }
        // A unit has one byte at least behind a start code of three, and gets a length of four.
        let target = scratch.bytes(accessUnit.count + accessUnit.count / 4 + 4)
        var count = 0
        var (hasSlice, isKeyFrame) = (false, false)
        AnnexB.forEachUnit(accessUnit) { unit in
            switch unit[0] & 0x1F {
            case 7, 8:
                // They come before the slices (7.4.1.2.3); what looks like one behind them is what a driver left in the buffer.
                if !hasSlice { configuration.take(unit) }
            case 9: break  // access unit delimiters have no place in a movie file
            case 0, 24...31: break  // no H.264 at all (table 7-1)
            case let type:
                if type == 5 { isKeyFrame = true }
                if type == 1 || type == 5 { hasSlice = true }
                target.storeBytes(of: UInt32(clamping: unit.count).bigEndian, toByteOffset: count, as: UInt32.self)
                UnsafeMutableRawBufferPointer(rebasing: target[(count + 4)...]).copyMemory(from: unit)
                count += 4 + unit.count
            }
        }
        guard hasSlice else { return nil }
        let bytes = UnsafeRawBufferPointer(rebasing: target[..<count])
        return Picture(data: packets.copy(bytes), isKeyFrame: isKeyFrame)
    }
}

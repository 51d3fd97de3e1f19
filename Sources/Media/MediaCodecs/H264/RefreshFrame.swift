/// Detects the frames at which H.264 and HEVC can be decoded without any earlier frame.
package enum RefreshFrame {
    /// Returns true if the first coded picture of an access unit is an instantaneous decoder refresh (nal_unit_type 5,
    /// ITU-T H.264, 7.4.1). The keyframe of an open GOP is not such a refresh. Does not examine the bytes after the
    /// header of the frame's first NAL unit.
    ///
    /// - Parameter configuration: the track's `avcC`, which states the size of the unit lengths (ISO/IEC 14496-15,
    ///   5.3.3). Without an `avcC`, units have start codes.
    package static func starts(_ bytes: UnsafeRawBufferPointer, configuration: [UInt8]) -> Bool {
        guard configuration.count > 4, configuration[0] == 1 else { return AnnexB.startsWithKeyframe(bytes) }
        return starts(bytes, lengthSize: Int(configuration[4] & 3) + 1) { header in
            switch header & 0x1F {
            case 5: true
            case 1, 2: false
            default: nil
            }
        }
    }

    /// Returns true if the first frame of an access unit of HEVC allows random access (IRAP, nal_unit_type 16 to 23,
    /// ITU-T H.265, 7.4.2.2). The keyframe of an open GOP does too. Does not examine the bytes after the header of the
    /// frame's first NAL unit.
    ///
    /// - Parameter configuration: the track's `hvcC`, which states the size of the unit lengths (ISO/IEC 14496-15,
    ///   8.3.3). Without an `hvcC`, the bytes are not examined, and the result is true.
    package static func startsHEVC(_ bytes: UnsafeRawBufferPointer, configuration: [UInt8]) -> Bool {
        guard configuration.count > 21, configuration[0] == 1 else { return true }
        return starts(bytes, lengthSize: Int(configuration[21] & 3) + 1) { header in
            switch header >> 1 & 0x3F {
            case 16...23: true
            case 0...31: false
            default: nil
            }
        }
    }

    /// - Parameter isRefresh: returns true if the unit with this first byte belongs to a refresh, false if it belongs
    ///   to another frame, and nil if it belongs to no frame.
    private static func starts(
        _ bytes: UnsafeRawBufferPointer, lengthSize: Int, _ isRefresh: (_ header: UInt8) -> Bool?
    ) -> Bool {
        var place = 0
        while bytes.count - place > lengthSize {
            let length = bytes[place..<place + lengthSize].reduce(0) { $0 << 8 | Int($1) }
            if let starts = isRefresh(bytes[place + lengthSize]) { return starts }
            guard length > 0, length <= bytes.count - place - lengthSize else { return false }
            place += lengthSize + length
        }
        return false
    }
}

/// Detects the frames at which H.264 can be decoded without any earlier frame.
package enum RefreshFrame {
    /// Returns true if the first coded picture of an access unit is an instantaneous decoder refresh (nal_unit_type 5,
    /// ITU-T H.264, 7.4.1). The keyframe of an open GOP is not one. Examines nothing after it.
    ///
    /// - Parameter configuration: the track's `avcC`, which has the size of the unit lengths (ISO/IEC 14496-15, 5.3.3);
    ///   without one, units have start codes.
    package static func starts(_ bytes: UnsafeRawBufferPointer, configuration: [UInt8]) -> Bool {
        guard configuration.count > 4, configuration[0] == 1 else { return AnnexB.startsWithKeyframe(bytes) }
        let lengthSize = Int(configuration[4] & 3) + 1
        var place = 0
        while bytes.count - place > lengthSize {
            let length = bytes[place..<place + lengthSize].reduce(0) { $0 << 8 | Int($1) }
            switch bytes[place + lengthSize] & 0x1F {
            case 5: return true
            case 1, 2: return false
            default: break
            }
            guard length > 0, length <= bytes.count - place - lengthSize else { return false }
            place += lengthSize + length
        }
        return false
    }
}

/// Looks into H.264 as cameras send it: NAL units after start codes (ITU-T H.264, Annex B).
enum AnnexB {
    /// Whether the first picture in here is an instantaneous decoder refresh (nal_unit_type 5, 7.4.1).
    static func startsWithKeyFrame(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index + 3 < bytes.count {
            // The last byte of a start code is 1: with any byte above it there, none starts in these three.
            if bytes[index + 2] > 1 {
                index += 3
            } else if bytes[index] == 0, bytes[index + 1] == 0, bytes[index + 2] == 1 {
                switch bytes[index + 3] & 0x1F {
                case 5: return true
                case 1, 2: return false
                default: index += 3
                }
            } else {
                index += 1
            }
        }
        return false
    }
}

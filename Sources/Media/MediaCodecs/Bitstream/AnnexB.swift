package import MediaTypes

/// The form in which cameras send H.264 and HEVC: NAL units after start codes (ITU-T H.264 and H.265, Annex B).
package enum AnnexB {
    /// Returns the start of the next unit whose start code is at or after `start`; nil if there is none.
    private static func nextUnit(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var index = start
        while index + 2 < bytes.count {
            // A start code ends with a 1. If the third byte is larger, none of these three bytes begins a start code.
            if bytes[index + 2] > 1 {
                index += 3
            } else if bytes[index] == 0, bytes[index + 1] == 0, bytes[index + 2] == 1 {
                return index + 3
            } else {
                index += 1
            }
        }
        return nil
    }

    /// Calls `body` with each unit, without trailing zeros.
    package static func forEachUnit(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        var unit = nextUnit(in: bytes, from: 0)
        while let start = unit {
            unit = nextUnit(in: bytes, from: start)
            // A start code has three bytes. A zero before a start code belongs to the trailing zeros.
            var end = unit.map { $0 - 3 } ?? bytes.count
            while end > start, bytes[end - 1] == 0 { end -= 1 }
            if end > start { body(UnsafeRawBufferPointer(rebasing: bytes[start..<end])) }
        }
    }

    /// Returns true if the first coded picture is a keyframe. For H.264, this is an instantaneous decoder refresh
    /// (nal_unit_type 5, 7.4.1), for HEVC a random access point (16 to 21, table 7-1). Does not examine later bytes.
    ///
    /// - Parameter codec: `hevc`; any other codec counts as H.264.
    package static func startsWithKeyframe(_ bytes: UnsafeRawBufferPointer, of codec: VideoCodec = .h264) -> Bool {
        var unit = nextUnit(in: bytes, from: 0)
        while let start = unit, start < bytes.count {
            if let isEntry = codec == .hevc ? isHEVCEntry(bytes[start]) : isAVCEntry(bytes[start]) { return isEntry }
            unit = nextUnit(in: bytes, from: start)
        }
        return false
    }

    /// Returns true if a unit with this first byte belongs to a keyframe, and false if it belongs to another frame.
    /// Returns nil for a unit that belongs to no frame.
    private static func isAVCEntry(_ header: UInt8) -> Bool? {
        switch header & 0x1F {
        case 5: true
        case 1, 2: false
        default: nil
        }
    }

    private static func isHEVCEntry(_ header: UInt8) -> Bool? {
        switch header >> 1 & 0x3F {
        case 16...21: true
        case 0...31: false
        default: nil
        }
    }
}

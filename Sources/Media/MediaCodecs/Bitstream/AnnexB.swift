/// H.264 as cameras send it, and HEVC in the same form: NAL units after start codes (ITU-T H.264 and H.265, Annex B).
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
            // A start code has three bytes. A zero before it belongs to the trailing zeros.
            var end = unit.map { $0 - 3 } ?? bytes.count
            while end > start, bytes[end - 1] == 0 { end -= 1 }
            if end > start { body(UnsafeRawBufferPointer(rebasing: bytes[start..<end])) }
        }
    }

    /// Returns true if the first coded picture is an instantaneous decoder refresh (nal_unit_type 5, 7.4.1). Examines
    /// nothing after it.
    package static func startsWithKeyframe(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var unit = nextUnit(in: bytes, from: 0)
        while let start = unit, start < bytes.count {
            switch bytes[start] & 0x1F {
            case 5: return true
            case 1, 2: return false
            default: unit = nextUnit(in: bytes, from: start)
            }
        }
        return false
    }
}

/// H.264 as cameras send it, and HEVC in the same form: NAL units behind start codes (ITU-T H.264 and H.265, Annex B).
package enum AnnexB {
    /// Where the next unit begins whose start code stands at `start` or behind; nil for none.
    private static func nextUnit(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var index = start
        while index + 2 < bytes.count {
            // The last byte of a start code is 1: with any byte above it there, none starts in these three.
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

    /// Calls `body` with each unit, trailing zeros cut off.
    package static func forEachUnit(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        var unit = nextUnit(in: bytes, from: 0)
        while let start = unit {
            unit = nextUnit(in: bytes, from: start)
            // A start code of three bytes; a fourth in front of it is a zero like others.
            var end = unit.map { $0 - 3 } ?? bytes.count
            while end > start, bytes[end - 1] == 0 { end -= 1 }
            if end > start { body(UnsafeRawBufferPointer(rebasing: bytes[start..<end])) }
        }
    }

    /// Whether the first picture in here is an instantaneous decoder refresh (nal_unit_type 5, 7.4.1). Looks no further.
    package static func startsWithKeyFrame(_ bytes: UnsafeRawBufferPointer) -> Bool {
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

package import MediaTypes

/// Copies bytes from one mirrored file of a recording to the other. In both, the same bytes are at the same offsets. If
/// a file system lost some bytes, the file has zeros there, in complete sectors.
package enum MirrorMerge {
    /// The number of bytes of each file that are in memory at once.
    package static let pieceSize = 1 << 20
    /// The unit in which a disk loses data, in bytes. No disk has smaller sectors.
    static let sectorSize = 512

    /// Makes a range of `target` equal to `source`. Blocks until both disks respond.
    ///
    /// - Parameter isRight: true if `source` is correct, whatever `target` contains. If false, only bytes that are zero
    ///   to the end of their sector, or that are past the end of `target`, are filled; all others stay.
    /// - Returns: the ranges in which `source` and `target` have different data; these were not changed.
    /// - Throws: the error of either file; `ioFailure` if `source` is correct but ends early.
    @discardableResult
    package static func bring(
        _ range: Range<UInt64>, from source: any MovieStorage, to target: any MovieStorage, isRight: Bool
    ) throws(MediaError) -> RangeSet<UInt64> {
        var conflicts = RangeSet<UInt64>()
        try compare(range, source, target) { (place, wanted, present) throws(MediaError) in
            if isRight {
                guard wanted.count == piece(at: place, in: range) else {
                    throw MediaError(
                        .ioFailure, "cannot update a mirrored file", reason: "the other file ends at byte \(place)")
                }
                if wanted != present { try target.write(wanted, at: place) }
                return
            }
            let merged = merge(wanted, into: present, at: place)
            conflicts.formUnion(merged.conflicts)
            if let bytes = merged.bytes { try target.write(bytes, at: place) }
        }
        return conflicts
    }

    /// Returns the ranges in which the two files have different data. Changes nothing.
    package static func conflicts(
        _ range: Range<UInt64>, between first: any MovieStorage, and second: any MovieStorage
    ) throws(MediaError) -> RangeSet<UInt64> {
        var conflicts = RangeSet<UInt64>()
        try compare(range, first, second) { (place, one, other) throws(MediaError) in
            conflicts.formUnion(merge(one, into: other, at: place).conflicts)
        }
        return conflicts
    }

    /// Returns true if the two files have the same bytes and the same size.
    package static func isEqual(
        _ first: any MovieStorage, _ second: any MovieStorage
    ) throws(MediaError) -> Bool {
        let size = try first.size()
        guard try second.size() == size else { return false }
        var isEqual = true
        try compare(0..<size, first, second) { (_, one, other) throws(MediaError) in
            if one != other { isEqual = false }
        }
        return isEqual
    }

    /// Returns true if a range contains only zeros.
    static func isZero(_ range: Range<UInt64>, in storage: any MovieStorage) throws(MediaError) -> Bool {
        var place = range.lowerBound
        while place < range.upperBound {
            let bytes = try storage.read(piece(at: place, in: range), at: place)
            guard !bytes.contains(where: { $0 != 0 }) else { return false }
            place += UInt64(max(1, bytes.count))
        }
        return true
    }

    private static func piece(at place: UInt64, in range: Range<UInt64>) -> Int {
        Int(min(UInt64(pieceSize), range.upperBound - place))
    }

    private static func compare(
        _ range: Range<UInt64>, _ first: any MovieStorage, _ second: any MovieStorage,
        _ body: (UInt64, [UInt8], [UInt8]) throws(MediaError) -> Void
    ) throws(MediaError) {
        var place = range.lowerBound
        while place < range.upperBound {
            let count = piece(at: place, in: range)
            try body(place, try first.read(count, at: place), try second.read(count, at: place))
            place += UInt64(count)
        }
    }

    /// - Returns: the bytes to write instead of `present`; nil if `present` is correct.
    private static func merge(
        _ other: [UInt8], into present: [UInt8], at place: UInt64
    ) -> (bytes: [UInt8]?, conflicts: RangeSet<UInt64>) {
        var conflicts = RangeSet<UInt64>()
        guard other != present else { return (nil, conflicts) }
        var bytes = present
        var isChanged = false
        var start = 0
        while start < other.count {
            // Sectors begin at multiples of their size in the file, not in the piece.
            let end = min(start + sectorSize - Int((place + UInt64(start)) % UInt64(sectorSize)), other.count)
            let own = present[min(start, present.count)..<min(end, present.count)]
            if isBeginning(own, of: other[start..<end]) {
                if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
                bytes.replaceSubrange(start..<end, with: other[start..<end])
                isChanged = true
            } else if !isBeginning(other[start..<end], of: own) {
                conflicts.insert(contentsOf: place + UInt64(start)..<place + UInt64(end))
                // If the last sector of `present` differs, the rest of `other` does not continue the contents of
                // `present`.
                if end > present.count {
                    conflicts.insert(contentsOf: place + UInt64(start)..<place + UInt64(other.count))
                    break
                }
            }
            start = end
        }
        return (isChanged && bytes != present ? bytes : nil, conflicts)
    }

    /// Returns true if a sector begins like the other one, and then contains only zeros or ends. Such a sector was not
    /// completely written.
    private static func isBeginning(_ sector: ArraySlice<UInt8>, of other: ArraySlice<UInt8>) -> Bool {
        let written = sector.lastIndex { $0 != 0 }.map { $0 + 1 - sector.startIndex } ?? 0
        return written <= other.count && sector.prefix(written).elementsEqual(other.prefix(written))
    }
}

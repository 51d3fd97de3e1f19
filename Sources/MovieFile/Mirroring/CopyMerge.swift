package import MediaTypes

/// Brings bytes of a recording from one copy of it to another. In copies of one recording the same bytes stand at the same
/// places; a file system that lost some of them shows zeros there, by whole sectors.
package enum CopyMerge {
    /// What is in memory at once, of each of the two.
    package static let pieceSize = 1 << 20
    /// The unit in which a disk loses what was written (and the smallest one that any disk has).
    static let sectorSize = 512

    /// Makes a stretch of `target` as it is in `source`, where the two differ. Blocks for as long as both disks take.
    ///
    /// - Parameter isRight: what stands in `source` is right, whatever `target` holds. Otherwise only what is zero to the end of its
    ///   sector, or lies past the end of `target`, is filled, and everything else stays.
    /// - Returns: where both hold something and differ; nothing was changed there.
    /// - Throws: the error of either; of a `source` that is right and ends early, `ioFailure`.
    @discardableResult
    package static func bring(
        _ range: Range<UInt64>, from source: any MovieStorage, to target: any MovieStorage, isRight: Bool
    ) throws(MediaError) -> RangeSet<UInt64> {
        var conflicts = RangeSet<UInt64>()
        try compare(range, source, target) { (place, wanted, present) throws(MediaError) in
            if isRight {
                guard wanted.count == piece(at: place, in: range) else {
                    throw MediaError(
                        .ioFailure, "cannot bring a recording over", reason: "the other copy ends at byte \(place)")
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

    /// Where both hold something and differ. Changes nothing.
    package static func conflicts(
        _ range: Range<UInt64>, between first: any MovieStorage, and second: any MovieStorage
    ) throws(MediaError) -> RangeSet<UInt64> {
        var conflicts = RangeSet<UInt64>()
        try compare(range, first, second) { (place, one, other) throws(MediaError) in
            conflicts.formUnion(merge(one, into: other, at: place).conflicts)
        }
        return conflicts
    }

    /// Whether both hold the same bytes, and no others.
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

    /// Whether nothing but zeros stands there.
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

    /// - Returns: what should stand at the place instead of `present`, nil where that is right as it is.
    private static func merge(
        _ other: [UInt8], into present: [UInt8], at place: UInt64
    ) -> (bytes: [UInt8]?, conflicts: RangeSet<UInt64>) {
        var conflicts = RangeSet<UInt64>()
        guard other != present else { return (nil, conflicts) }
        var bytes = present
        var isChanged = false
        var start = 0
        while start < other.count {
            // Sectors of the file, not of the piece.
            let end = min(start + sectorSize - Int((place + UInt64(start)) % UInt64(sectorSize)), other.count)
            let own = present[min(start, present.count)..<min(end, present.count)]
            if isBeginning(own, of: other[start..<end]) {
                if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
                bytes.replaceSubrange(start..<end, with: other[start..<end])
                isChanged = true
            } else if !isBeginning(other[start..<end], of: own) {
                conflicts.insert(contentsOf: place + UInt64(start)..<place + UInt64(end))
                // What follows the end of a copy whose last sector is another one belongs to something else.
                if end > present.count {
                    conflicts.insert(contentsOf: place + UInt64(start)..<place + UInt64(other.count))
                    break
                }
            }
            start = end
        }
        return (isChanged && bytes != present ? bytes : nil, conflicts)
    }

    /// Whether a sector holds what another one begins with, and zeros, or nothing, behind that: it was not written to its end.
    private static func isBeginning(_ sector: ArraySlice<UInt8>, of other: ArraySlice<UInt8>) -> Bool {
        let written = sector.lastIndex { $0 != 0 }.map { $0 + 1 - sector.startIndex } ?? 0
        return written <= other.count && sector.prefix(written).elementsEqual(other.prefix(written))
    }
}

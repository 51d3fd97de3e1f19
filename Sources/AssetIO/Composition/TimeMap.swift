package import MediaTypes

/// How the time of one clock is found in another's: straight lines, one behind the other, with steps forward where the other
/// clock saw time that this one did not. A pure value.
///
/// It rises everywhere, so that what comes later stays later, and each time is worked out by itself, so that no rounding adds
/// up. Before the first line and behind the last both clocks run alike.
package struct TimeMap: Sendable, Equatable {
    /// One line: as `source` goes by, so does `target`.
    package struct Piece: Sendable, Equatable {
        /// Without an end for the last one.
        package var source: TimeRange
        package var target: TimeRange

        package init(source: TimeRange, target: TimeRange) { (self.source, self.target) = (source, target) }

        /// How much longer the target is, as a part of the source.
        var surplus: Double { isShift ? 0 : target.duration.seconds / source.duration.seconds - 1 }
        package var isShift: Bool { source.duration == target.duration }
    }

    package let pieces: [Piece]

    /// nil for none, for those that have no length, do not follow each other in the source, or step back in the target.
    package init?(_ pieces: [Piece]) {
        guard let first = pieces.first, first.source.start.isNumeric, first.target.start.isNumeric else { return nil }
        for (index, piece) in pieces.enumerated() {
            let isLast = index == pieces.count - 1
            guard !piece.source.isEmpty, !piece.target.isEmpty,
                piece.source.duration.isNumeric && piece.target.duration.isNumeric || isLast && piece.isShift
            else { return nil }
            guard index > 0 else { continue }
            let before = pieces[index - 1]
            guard piece.source.start == before.source.end, piece.target.start >= before.target.end else { return nil }
        }
        self.pieces = pieces
    }

    /// The same later, where it is nothing else.
    package var shift: MediaTime? {
        pieces.count == 1 && pieces[0].isShift ? pieces[0].target.start - pieces[0].source.start : nil
    }

    /// The number of the line that a time is on.
    func index(at source: MediaTime) -> Int { index { $0.source.start <= source } }

    package func target(of source: MediaTime) -> MediaTime {
        guard source.isNumeric else { return source }
        let piece = pieces[index(at: source)]
        guard source > piece.source.start, !piece.isShift else {
            return source + (piece.target.start - piece.source.start)
        }
        guard source < piece.source.end else { return piece.target.end + (source - piece.source.end) }
        return piece.target.start + Self.scaled(source - piece.source.start, piece.source, piece.target)
    }

    /// What comes out as `target`; within a step, what comes behind it.
    package func source(of target: MediaTime) -> MediaTime {
        guard target.isNumeric else { return target }
        let piece = pieces[index { $0.target.start <= target }]
        guard target < piece.target.end else {
            return piece == pieces.last ? piece.source.end + (target - piece.target.end) : piece.source.end
        }
        guard target > piece.target.start, !piece.isShift else {
            return target + (piece.source.start - piece.target.start)
        }
        return piece.source.start + Self.scaled(target - piece.target.start, piece.target, piece.source)
    }

    /// The last piece that has begun, or the first.
    private func index(_ hasBegun: (Piece) -> Bool) -> Int {
        var (low, high) = (0, pieces.count)
        while low < high {
            let middle = (low + high) / 2
            if hasBegun(pieces[middle]) { low = middle + 1 } else { high = middle }
        }
        return max(0, low - 1)
    }

    /// To the nearest nanosecond.
    private static func scaled(_ length: MediaTime, _ from: TimeRange, _ to: TimeRange) -> MediaTime {
        let (numerator, denominator) = (Int128(to.duration.nanoseconds), Int128(max(1, from.duration.nanoseconds)))
        let product = Int128(length.nanoseconds) * numerator * 2 + denominator
        return MediaTime(nanoseconds: Int64(clamping: product / (denominator * 2)))
    }
}

package import MediaTypes

/// A map from the time of a source clock to that of a target clock. It consists of consecutive linear pieces. Between
/// two pieces the target may step forward, where the target clock counted time that the source clock did not. A pure
/// value.
///
/// The map increases everywhere, so order is kept. Each time is computed on its own, so rounding errors do not add up.
/// Before the first piece and after the last, both clocks have the same rate.
package struct TimeMap: Sendable, Equatable {
    /// A piece of the map, linear from `source` to `target`.
    package struct Piece: Sendable, Equatable {
        /// The source range. Infinite for the last piece.
        package var source: TimeRange
        package var target: TimeRange

        package init(source: TimeRange, target: TimeRange) { (self.source, self.target) = (source, target) }

        /// The target's length relative to the source's, less 1: positive if the target is longer.
        var surplus: Double { isShift ? 0 : target.duration.seconds / source.duration.seconds - 1 }
        package var isShift: Bool { source.duration == target.duration }
    }

    package let pieces: [Piece]

    /// Returns nil for an empty list, and for pieces that have no length, do not follow each other in the source, or
    /// step back in the target.
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

    /// The shift, if the map is only a shift; otherwise nil.
    package var shift: MediaTime? {
        pieces.count == 1 && pieces[0].isShift ? pieces[0].target.start - pieces[0].source.start : nil
    }

    /// Returns the index of the piece that applies to a source time.
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

    /// Returns the source time for a target time. A target time inside a step maps to the source time of the step.
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

    /// Returns the index of the last piece that has begun, or 0 if none has.
    private func index(_ hasBegun: (Piece) -> Bool) -> Int {
        var (low, high) = (0, pieces.count)
        while low < high {
            let middle = (low + high) / 2
            if hasBegun(pieces[middle]) { low = middle + 1 } else { high = middle }
        }
        return max(0, low - 1)
    }

    /// Scales a length, rounded to the nearest nanosecond.
    private static func scaled(_ length: MediaTime, _ from: TimeRange, _ to: TimeRange) -> MediaTime {
        let (numerator, denominator) = (Int128(to.duration.nanoseconds), Int128(max(1, from.duration.nanoseconds)))
        let product = Int128(length.nanoseconds) * numerator * 2 + denominator
        return MediaTime(nanoseconds: Int64(clamping: product / (denominator * 2)))
    }
}

import Foundation
import MediaTypes

/// Finds the constant quality at which a movie fits into a number of bytes. Used for AV1, because its encoder has no
/// two-pass mode. Each try encodes the complete movie, so there are only a few. A pure value.
struct QualitySearch {
    static let mostTries = 5
    /// The part of the limit that is enough: a file at least this large is not encoded again.
    static let enough = 0.93

    private let limit: Int64
    /// The encoder's factors, which are integers; a lower one means better quality and a larger file.
    private let factors: ClosedRange<Int>
    private let first: Int
    private var known: [(factor: Int, size: Int64)] = []

    /// - Parameters:
    ///   - factors: the range to search. Below its lower bound no difference is visible.
    ///   - first: the factor of the first try.
    init(limit: Int64, factors: ClosedRange<Int> = 8...63, first: Int = 35) {
        self.limit = limit
        self.factors = factors
        self.first = min(max(first, factors.lowerBound), factors.upperBound)
    }

    /// Records the resulting size for a factor.
    mutating func record(size: Int64, at factor: Int) { known.append((factor, size)) }

    /// The best of the tried factors whose file fits.
    var best: Int? { largestThatFits?.factor }

    private var largestThatFits: (factor: Int, size: Int64)? {
        known.filter { $0.size <= limit }.min { $0.factor < $1.factor }
    }

    private var smallestThatDoesNot: (factor: Int, size: Int64)? {
        known.filter { $0.size > limit }.max { $0.factor < $1.factor }
    }

    /// The factor to try next; nil if the result is good enough, cannot improve, or the tries are used up.
    var next: Int? {
        guard !known.isEmpty else { return first }
        guard known.count < Self.mostTries else { return nil }
        let (fitting, large) = (largestThatFits, smallestThatDoesNot)
        if let fitting, Double(fitting.size) >= Double(limit) * Self.enough { return nil }
        // The next factor must be strictly between a factor whose file is too large and one whose file fits.
        let least = max(factors.lowerBound, large.map { $0.factor + 1 } ?? factors.lowerBound)
        let most = min(factors.upperBound, fitting.map { $0.factor - 1 } ?? factors.upperBound)
        guard least <= most else { return nil }
        return min(most, max(least, guess(fitting, large)))
    }

    /// Returns a factor for a size slightly below the limit, by a line through the logarithms of the two nearest sizes.
    private func guess(_ fitting: (factor: Int, size: Int64)?, _ large: (factor: Int, size: Int64)?) -> Int {
        // If no file fits, all tries are wasted. Therefore the last try is cautious.
        let share = fitting == nil && known.count == Self.mostTries - 1 ? 0.8 : 0.97
        func height(_ size: Int64) -> Double { log(Double(max(1, size))) }
        let nearest = known.sorted {
            abs(height($0.size) - height(limit)) < abs(height($1.size) - height(limit))
        }
        let near = fitting.flatMap { fitting in large.map { [fitting, $0] } } ?? Array(nearest.prefix(2))
        var slope = Self.usualSlope
        if near.count == 2 {
            let measured = (height(near[0].size) - height(near[1].size)) / Double(near[0].factor - near[1].factor)
            // If the file is mainly audio and headers, the slope would be almost zero.
            if measured < -0.004 { slope = measured }
        }
        let start = nearest[0]
        let steps = (log(share) + height(limit) - height(start.size)) / slope
        return start.factor + Int(clamping: min(100, max(-100, steps.rounded(.up))))
    }

    /// The usual change of the logarithmic size per step of SVT-AV1's factor.
    private static let usualSlope = -0.045
}

import Foundation
import MediaTypes

/// Finds the constant quality at which a film fits into a number of bytes, for an encoder that cannot look twice to share out its
/// bits: AV1's. Each try is a whole encode, so there are few. A pure value.
struct QualitySearch {
    static let mostTries = 5
    /// A film that fills so much of the limit is not tried again.
    static let enough = 0.93

    private let limit: Int64
    /// Whole numbers, as the encoder takes them; lower is better and larger.
    private let factors: ClosedRange<Int>
    private let first: Int
    private var known: [(factor: Int, size: Int64)] = []

    /// - Parameters:
    ///   - factors: better than the first nobody sees.
    ///   - first: to begin with.
    init(limit: Int64, factors: ClosedRange<Int> = 8...63, first: Int = 35) {
        self.limit = limit
        self.factors = factors
        self.first = min(max(first, factors.lowerBound), factors.upperBound)
    }

    /// What came out at the factor that was asked for.
    mutating func note(size: Int64, at factor: Int) { known.append((factor, size)) }

    /// The best that fits, of those that were tried.
    var best: Int? { largestThatFits?.factor }

    private var largestThatFits: (factor: Int, size: Int64)? {
        known.filter { $0.size <= limit }.min { $0.factor < $1.factor }
    }

    private var smallestThatDoesNot: (factor: Int, size: Int64)? {
        known.filter { $0.size > limit }.max { $0.factor < $1.factor }
    }

    /// The factor to try now; nil: it is good enough, cannot become better, or not with so few tries.
    var next: Int? {
        guard !known.isEmpty else { return first }
        guard known.count < Self.mostTries else { return nil }
        let (fitting, large) = (largestThatFits, smallestThatDoesNot)
        if let fitting, Double(fitting.size) >= Double(limit) * Self.enough { return nil }
        // Strictly between what is too large and what fits.
        let least = max(factors.lowerBound, large.map { $0.factor + 1 } ?? factors.lowerBound)
        let most = min(factors.upperBound, fitting.map { $0.factor - 1 } ?? factors.upperBound)
        guard least <= most else { return nil }
        return min(most, max(least, guess(fitting, large)))
    }

    /// Where the line through the nearest two sizes, by their logarithms, comes to a little less than the limit.
    private func guess(_ fitting: (factor: Int, size: Int64)?, _ large: (factor: Int, size: Int64)?) -> Int {
        // Without a fitting one in the end nothing was won: the last try is a careful one.
        let share = fitting == nil && known.count == Self.mostTries - 1 ? 0.8 : 0.97
        func height(_ size: Int64) -> Double { log(Double(max(1, size))) }
        let nearest = known.sorted {
            abs(height($0.size) - height(limit)) < abs(height($1.size) - height(limit))
        }
        let near = fitting.flatMap { fitting in large.map { [fitting, $0] } } ?? Array(nearest.prefix(2))
        var slope = Self.usualSlope
        if near.count == 2 {
            let measured = (height(near[0].size) - height(near[1].size)) / Double(near[0].factor - near[1].factor)
            // Sound and headers alone would give none.
            if measured < -0.004 { slope = measured }
        }
        let start = nearest[0]
        let steps = (log(share) + height(limit) - height(start.size)) / slope
        return start.factor + Int(clamping: min(100, max(-100, steps.rounded(.up))))
    }

    /// SVT-AV1 makes a film so much smaller with each step of its factor.
    private static let usualSlope = -0.045
}

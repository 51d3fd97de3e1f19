import Glibc
import MediaTypes

/// The text of a stamp, updated for each frame. Called by one thread at a time.
///
/// strftime(3) runs only once a second. The fraction and the counter are formatted for each frame, without allocations.
struct StampLine {
    private enum Piece {
        /// An index of `clocks`.
        case clock(Int)
        case fraction(digits: Int)
        case counter
        case text([UInt32])
    }

    private let pieces: [Piece]
    private let patterns: [String]
    /// The results of strftime for `second`.
    private var clocks: [[UInt32]]
    private var second: Int64?
    /// The characters of the line.
    private(set) var scalars: [UInt32] = []

    /// The maximum number of characters of a line.
    static let most = 400

    init(_ pattern: StampPattern, name: String) {
        var patterns: [String] = []
        pieces = pattern.pieces.map { piece in
            switch piece {
            case .clock(let text):
                patterns.append(text)
                return .clock(patterns.count - 1)
            case .fraction(let digits): return .fraction(digits: digits)
            case .name: return .text(name.unicodeScalars.map(\.value))
            case .counter: return .counter
            }
        }
        self.patterns = patterns
        clocks = Array(repeating: [], count: patterns.count)
        scalars.reserveCapacity(Self.most)
    }

    /// Sets the line's text for a frame.
    mutating func update(_ moment: FrameMoment) {
        // Clock readings were stored as fractions of a second, which have no exact binary form. The time is rounded to
        // microseconds, the unit of the kernel's timestamps, before digits are cut off. This restores the original
        // reading.
        let microseconds = Self.quotient(moment.wall &+ 500, 1000)
        let second = Self.quotient(microseconds, 1_000_000)
        if second != self.second {
            for (index, pattern) in patterns.enumerated() { clocks[index] = Self.format(pattern, at: second) }
            self.second = second
        }
        scalars.removeAll(keepingCapacity: true)
        for piece in pieces {
            switch piece {
            case .clock(let index): append(clocks[index])
            case .fraction(let digits):
                var fraction = Int(microseconds - second * 1_000_000)
                for _ in digits..<6 { fraction /= 10 }
                append(fraction, digits: digits)
            case .counter: append(moment.number, digits: 1)
            case .text(let text): append(text)
            }
        }
    }

    /// Returns the quotient, rounded down.
    private static func quotient(_ value: Int64, _ divisor: Int64) -> Int64 {
        let (quotient, rest) = value.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }

    private static func format(_ pattern: String, at second: Int64) -> [UInt32] {
        var (time, parts) = (time_t(second), tm())
        localtime_r(&time, &parts)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
            guard let start = buffer.baseAddress else { return [] }
            let count = strftime(start, buffer.count, pattern, &parts)
            let text = String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return text.unicodeScalars.map(\.value)
        }
    }

    private mutating func append(_ text: [UInt32]) {
        for scalar in text where scalars.count < Self.most { scalars.append(scalar) }
    }

    /// Appends a number with at least `digits` digits. A negative number counts as 0.
    private mutating func append(_ number: Int, digits: Int) {
        let number = max(0, number)
        var (count, power) = (1, 1)
        while count < digits || number / power >= 10 {
            count += 1
            power *= 10
        }
        while power > 0, scalars.count < Self.most {
            scalars.append(48 + UInt32(number / power % 10))
            power /= 10
        }
    }
}

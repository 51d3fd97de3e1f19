/// Counts beyond the width of a number that wraps, such as a sequence number or an RTP timestamp. A pure value.
package struct Unwrapper<Number: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
    /// The count to which the next number is nearest; nil before the first number.
    package private(set) var reference: Int64?

    package init() {}

    /// Returns the count for a number: the one nearest to the reference.
    package func count(for number: Number) -> Int64 {
        guard let reference else { return Int64(number) }
        let ahead = number &- Number(truncatingIfNeeded: reference)
        let step = Int64(ahead)
        return ahead > Number.max / 2 ? reference &+ step &- (Int64(1) << Number.bitWidth) : reference &+ step
    }

    /// Returns the count for a number, and makes it the reference.
    package mutating func unwrap(_ number: Number) -> Int64 {
        let count = count(for: number)
        reference = count
        return count
    }

    package mutating func reset() { reference = nil }
}

extension FixedWidthInteger {
    /// Converts to the nearest representable value: the minimum or maximum if out of range, 0 for NaN.
    ///
    /// `Int64(1e300)` and `Int64(Double.nan)` trap. Such numbers can come from files, devices and other processes.
    package init(clamping value: Double) {
        if value.isNaN {
            self = 0
        } else if let exact = Self(exactly: value.rounded(.towardZero)) {
            self = exact
        } else {
            self = value < 0 ? .min : .max
        }
    }

    /// Adds a number. The result is the nearest representable value if the sum is out of range.
    package func addingClamped(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// Subtracts a number. The result is the nearest representable value if the difference is out of range.
    package func subtractingClamped(_ other: Self) -> Self {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}

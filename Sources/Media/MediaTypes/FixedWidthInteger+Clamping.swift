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
}

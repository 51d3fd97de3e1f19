extension FixedWidthInteger {
    /// The nearest number there is: the ends for what lies beyond them, 0 for what is none.
    ///
    /// `Int64(1e300)` and `Int64(Double.nan)` end the process, and numbers come from films, devices and other processes.
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

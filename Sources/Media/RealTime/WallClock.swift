import CLinux

/// The kernel's knowledge about the time of day.
package enum WallClock {
    /// The maximum error of the clock in microseconds, as declared by the program that sets it; nil if no program sets
    /// it (adjtimex(2)).
    ///
    /// Constant work. May be read on any thread.
    package static var largestError: Int? {
        let error = clinux_clock_error()
        return error < 0 ? nil : Int(error)
    }
}

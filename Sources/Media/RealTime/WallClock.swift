import CLinux

/// Reports how accurate the kernel's time of day is.
package enum WallClock {
    /// The maximum error of the clock in microseconds, according to the program that sets the clock; nil if no program
    /// sets it (adjtimex(2)).
    ///
    /// Takes constant time. May be read on any thread.
    package static var largestError: Int? {
        let error = clinux_clock_error()
        return error < 0 ? nil : Int(error)
    }
}

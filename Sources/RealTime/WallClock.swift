import CLinux

/// What the kernel knows about the time of day.
package enum WallClock {
    /// The largest error, in microseconds, that whoever sets the clock admits; nil where nobody does (adjtimex(2)). Constant work,
    /// any thread.
    package static var largestError: Int? {
        let error = clinux_clock_error()
        return error < 0 ? nil : Int(error)
    }
}

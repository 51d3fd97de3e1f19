import Foundation

/// Returns the time in seconds of CLOCK_MONOTONIC, the clock of live sources' timestamps. It never goes backwards.
public func CACurrentMediaTime() -> CFTimeInterval { Double(mach_absolute_time()) / 1e9 }

/// Returns the time of the same clock in ticks. A tick is a nanosecond, as `mach_timebase_info` reports.
public func mach_absolute_time() -> UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
}

/// The nanoseconds per tick of `mach_absolute_time`: `numer` divided by `denom`.
public struct mach_timebase_info_data_t: Sendable, Hashable {
    public var numer: UInt32
    public var denom: UInt32

    public init() { self.init(numer: 0, denom: 0) }
    public init(numer: UInt32, denom: UInt32) {
        self.numer = numer
        self.denom = denom
    }
}

/// Returns an empty structure to fill. This function exists because, on Apple's systems, the structure has the same
/// name as the function that fills it.
public func mach_timebase_info() -> mach_timebase_info_data_t { mach_timebase_info_data_t() }

@discardableResult
public func mach_timebase_info(_ info: UnsafeMutablePointer<mach_timebase_info_data_t>!) -> Int32 {
    info?.pointee = mach_timebase_info_data_t(numer: 1, denom: 1)
    return 0
}

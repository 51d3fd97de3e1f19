import Foundation

/// Seconds of the clock that media times of a live source are stamped with (CLOCK_MONOTONIC): it never goes back.
public func CACurrentMediaTime() -> CFTimeInterval { Double(mach_absolute_time()) / 1e9 }

/// The same clock in its ticks, which are nanoseconds; `mach_timebase_info` says so.
public func mach_absolute_time() -> UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
}

/// How many nanoseconds a tick of `mach_absolute_time` has: `numer` by `denom`.
public struct mach_timebase_info_data_t: Sendable, Hashable {
    public var numer: UInt32
    public var denom: UInt32

    public init() { self.init(numer: 0, denom: 0) }
    public init(numer: UInt32, denom: UInt32) {
        self.numer = numer
        self.denom = denom
    }
}

/// An empty one, to be filled: on Apple's systems the structure has the name of the call.
public func mach_timebase_info() -> mach_timebase_info_data_t { mach_timebase_info_data_t() }

@discardableResult
public func mach_timebase_info(_ info: UnsafeMutablePointer<mach_timebase_info_data_t>!) -> Int32 {
    info?.pointee = mach_timebase_info_data_t(numer: 1, denom: 1)
    return 0
}

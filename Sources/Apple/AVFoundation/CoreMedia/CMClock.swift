import MediaTypes

/// A clock that timestamps samples. On Linux, the host clock (CLOCK_MONOTONIC) is the only one. The times of cameras
/// and microphones already refer to it.
public final class CMClock: Sendable {
    private init() {}

    /// The machine's clock, which never goes backwards.
    public static let hostTimeClock = CMClock()

    /// The current time, in nanoseconds.
    public var time: CMTime { CMClockMakeHostTimeFromSystemUnits(mach_absolute_time()) }

    /// Returns the time unchanged, because there is only one clock.
    public func convertTime(_ time: CMTime, to clock: CMClock) -> CMTime { time }

    /// Always returns false: there is only one clock, and it cannot drift relative to itself.
    public func mightDrift(relativeTo clock: CMClock) -> Bool { false }
}

public func CMClockGetHostTimeClock() -> CMClock { .hostTimeClock }
public func CMClockGetTime(_ clock: CMClock) -> CMTime { clock.time }

/// Converts a value of `mach_absolute_time` to a time.
public func CMClockMakeHostTimeFromSystemUnits(_ hostTime: UInt64) -> CMTime {
    CMTime(value: CMTimeValue(clamping: hostTime), timescale: 1_000_000_000)
}

/// Returns the value of `mach_absolute_time` at a time; 0 for a negative time, and for a time that is not numeric.
public func CMClockConvertHostTimeToSystemUnits(_ hostTime: CMTime) -> UInt64 {
    UInt64(clamping: hostTime.media.nanoseconds)
}

public func CMSyncConvertTime(_ time: CMTime, from fromClockOrTimebase: CMClock, to toClockOrTimebase: CMClock)
    -> CMTime
{
    fromClockOrTimebase.convertTime(time, to: toClockOrTimebase)
}

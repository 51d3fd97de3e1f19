import MediaTypes

/// A clock that timestamps samples. There is only one on Linux: the host clock (CLOCK_MONOTONIC), to which cameras and
/// microphones already refer.
public final class CMClock: Sendable {
    private init() {}

    /// The machine's clock, which never goes backwards.
    public static let hostTimeClock = CMClock()

    /// The current time, in nanoseconds.
    public var time: CMTime { CMClockMakeHostTimeFromSystemUnits(mach_absolute_time()) }

    /// Returns the time unchanged, because there is only one clock.
    public func convertTime(_ time: CMTime, to clock: CMClock) -> CMTime { time }

    /// Always false: a clock cannot drift relative to itself, and there is only one.
    public func mightDrift(relativeTo clock: CMClock) -> Bool { false }
}

public func CMClockGetHostTimeClock() -> CMClock { .hostTimeClock }
public func CMClockGetTime(_ clock: CMClock) -> CMTime { clock.time }

/// Returns the time of a value of `mach_absolute_time`.
public func CMClockMakeHostTimeFromSystemUnits(_ hostTime: UInt64) -> CMTime {
    CMTime(value: CMTimeValue(clamping: hostTime), timescale: 1_000_000_000)
}

/// Returns the value of `mach_absolute_time` at a time; 0 for a time before its start, or one that is not numeric.
public func CMClockConvertHostTimeToSystemUnits(_ hostTime: CMTime) -> UInt64 {
    UInt64(clamping: hostTime.media.nanoseconds)
}

public func CMSyncConvertTime(_ time: CMTime, from fromClockOrTimebase: CMClock, to toClockOrTimebase: CMClock)
    -> CMTime
{
    fromClockOrTimebase.convertTime(time, to: toClockOrTimebase)
}

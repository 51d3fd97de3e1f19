import Foundation
import Glibc
import MediaTypes

/// The wall clock's time of day for a timecode: the time since midnight, in local time (localtime_r(3)). It does not
/// use a calendar, which would load megabytes of ICU data.
enum TimeOfDay {
    static func now() -> MediaTime {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return at(now.tv_sec, nanoseconds: Int64(now.tv_nsec))
    }

    static func of(_ date: Date) -> MediaTime {
        let time = date.timeIntervalSince1970
        let whole = time.rounded(.down)
        return at(time_t(clamping: whole), nanoseconds: Int64(clamping: ((time - whole) * 1e9).rounded()))
    }

    private static func at(_ time: time_t, nanoseconds: Int64) -> MediaTime {
        var (time, parts) = (time, tm())
        localtime_r(&time, &parts)
        let whole = Int64(parts.tm_hour) * 3600 + Int64(parts.tm_min) * 60 + Int64(parts.tm_sec)
        return MediaTime(value: whole * 1_000_000_000 + nanoseconds, timescale: 1_000_000_000)
    }
}

import Glibc
import MediaTypes

/// The wall clock's time of day, as a timecode counts it.
enum TimeOfDay {
    /// Since midnight, local time (clock_gettime(2), localtime_r(3)).
    static func now() -> MediaTime {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        var seconds = now.tv_sec
        var parts = tm()
        localtime_r(&seconds, &parts)
        let whole = Int64(parts.tm_hour) * 3600 + Int64(parts.tm_min) * 60 + Int64(parts.tm_sec)
        return MediaTime(value: whole * 1_000_000_000 + Int64(now.tv_nsec), timescale: 1_000_000_000)
    }
}

package import Foundation
import MediaTypes

/// The local time of this machine, as localtime_r(3) knows it.
///
/// Foundation does not know a time zone that `TZ` describes by its rules, such as `CET-1CEST,M3.5.0,M10.5.0/3`, and uses
/// UTC instead. The stamps and timecodes of recordings are in the time of localtime_r(3), so everything else must be
/// too.
package enum LocalTime {
    /// Returns the day of a time: from its midnight to the next one.
    package static func day(of date: Date) -> DateInterval {
        var midnight = fields(of: date)
        (midnight.tm_hour, midnight.tm_min, midnight.tm_sec) = (0, 0, 0)
        let start = self.date(of: midnight)
        midnight.tm_mday += 1
        return DateInterval(start: start, duration: max(0, self.date(of: midnight).timeIntervalSince(start)))
    }

    /// Returns the minutes from midnight to a time, by the clock.
    package static func minute(of date: Date) -> Int {
        let fields = fields(of: date)
        return Int(fields.tm_hour) * 60 + Int(fields.tm_min)
    }

    /// Returns a time zone with the offset that local time has at a time.
    package static func timeZone(at date: Date) -> TimeZone {
        TimeZone(secondsFromGMT: Int(fields(of: date).tm_gmtoff)) ?? .current
    }

    /// Returns the fields of a time, for strftime(3).
    package static func fields(of date: Date) -> tm {
        var (seconds, fields) = (time_t(clamping: date.timeIntervalSince1970.rounded(.down)), tm())
        localtime_r(&seconds, &fields)
        return fields
    }

    /// Returns the time of these fields, whose sums may be out of range, such as a 32nd day. A time that occurs twice,
    /// because clocks are set back, is the first one. A time that clocks skip is as much later as they are set forward.
    static func date(of fields: tm) -> Date {
        var (summer, winter) = (fields, fields)
        (summer.tm_isdst, winter.tm_isdst) = (1, 0)
        let (first, other) = (mktime(&summer), mktime(&winter))
        // If summer time does not apply, mktime(3) corrects the field, or fails.
        return Date(timeIntervalSince1970: Double(first != -1 && summer.tm_isdst == 1 ? first : other))
    }
}

package import Foundation
import MediaTypes

/// The local time of this machine, as localtime_r(3) knows it.
///
/// Foundation does not know a time zone that `TZ` describes by its rules, such as `CET-1CEST,M3.5.0,M10.5.0/3`, and uses
/// UTC instead. The stamps and timecodes of recordings are in the time of localtime_r(3), so everything else must be
/// too.
package enum LocalTime {
    /// Returns the minutes from midnight to a time, by the clock.
    package static func minute(of date: Date) -> Int {
        let fields = fields(of: date)
        return Int(fields.tm_hour) * 60 + Int(fields.tm_min)
    }

    /// Returns a time zone with the offset that local time has at a time.
    package static func timeZone(at date: Date) -> TimeZone { TimeZone(secondsFromGMT: offset(at: date)) ?? .current }

    /// Returns the seconds by which local time is ahead of UTC at a time.
    package static func offset(at date: Date) -> Int { Int(fields(of: date).tm_gmtoff) }

    /// Returns the fields of a time, for strftime(3).
    package static func fields(of date: Date) -> tm {
        var (seconds, fields) = (time_t(clamping: date.timeIntervalSince1970.rounded(.down)), tm())
        localtime_r(&seconds, &fields)
        return fields
    }

    /// Returns the first and the last time of these fields, whose sums may be out of range, such as a 32nd day. They
    /// differ if the time occurs twice, because clocks are set back. A time that clocks skip is as much later as they
    /// are set forward.
    static func dates(of fields: tm) -> ClosedRange<Date> {
        let times = [Int32(1), 0].map { isSummer in
            var copy = fields
            copy.tm_isdst = isSummer
            return (time: mktime(&copy), isRight: copy.tm_isdst == isSummer)
        }
        // If summer time does not apply, mktime(3) corrects the field, or fails.
        let right = times.filter { $0.isRight && $0.time != -1 }.map { Date(timeIntervalSince1970: Double($0.time)) }
        let winter = Date(timeIntervalSince1970: Double(times[1].time))
        return (right.min() ?? winter)...(right.max() ?? winter)
    }
}

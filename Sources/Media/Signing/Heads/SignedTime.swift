package import Foundation
import Glibc
import RealTime

/// The wall clock, and its possible error.
package struct SignedTime: Sendable {
    package var date: Date
    /// The possible error of the date in seconds; nil if no program sets the clock.
    package var uncertainty: Double?

    package init(date: Date, uncertainty: Double?) {
        self.date = date
        self.uncertainty = uncertainty
    }

    /// The current time. Any thread may call this; the work is constant.
    package static func now() -> SignedTime {
        SignedTime(date: Date(), uncertainty: WallClock.largestError.map { Double($0) / 1e6 })
    }

    /// UTC with microseconds (RFC 3339).
    var text: String { Self.text(date) }

    /// Formats seconds: "12.345 s".
    static func seconds(_ time: Double) -> String { "\((time * 1000).rounded() / 1000) s" }

    static func text(_ date: Date) -> String {
        let microseconds = Int64(clamping: (date.timeIntervalSince1970 * 1e6).rounded())
        var seconds = time_t(microseconds >= 0 ? microseconds / 1_000_000 : (microseconds - 999_999) / 1_000_000)
        let rest = microseconds - Int64(seconds) * 1_000_000
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func digits(_ value: Int64, _ count: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        return digits(Int64(parts.tm_year) + 1900, 4) + "-" + digits(Int64(parts.tm_mon) + 1, 2) + "-"
            + digits(Int64(parts.tm_mday), 2) + "T" + digits(Int64(parts.tm_hour), 2) + ":"
            + digits(Int64(parts.tm_min), 2) + ":" + digits(Int64(parts.tm_sec), 2) + "." + digits(rest, 6) + "Z"
    }

    /// Parses a date. Returns nil for another format.
    static func date(_ text: String) -> Date? {
        let fields = text.split(whereSeparator: { "-T:.Z".contains($0) }).compactMap { Int32($0) }
        guard fields.count == 7, text.hasSuffix("Z") else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (fields[0] - 1900, fields[1] - 1, fields[2])
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (fields[3], fields[4], fields[5])
        return Date(timeIntervalSince1970: Double(timegm(&parts)) + Double(fields[6]) / 1e6)
    }
}

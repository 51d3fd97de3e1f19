import Foundation

/// Times of the wall clock as users write them: `14:30`, `14:30:05`, `2026-11-21 14:30`, `2026-11-21T14:30:05+01:00`.
package enum WallTimeText {
    private static let examples = "14:30, 2026-11-21 14:30 or 2026-11-21T14:30:05+01:00"

    /// Parses a time. A time without an offset is in the time zone of this machine. A time without a date is the last
    /// such time before `now`: at ten past midnight, `23:50` is a time of yesterday.
    ///
    /// - Parameter now: The current time in seconds since 1970.
    /// - Returns: Seconds since 1970.
    package static func parse(_ text: String, now: Double) throws(OptionError) -> Double {
        if let date = (try? Date(text, strategy: .iso8601))
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(timeZoneSeparator: .colon)))
        {
            return date.timeIntervalSince1970
        }
        let parts = text.split(whereSeparator: { $0 == " " || $0 == "T" })
        guard (1...2).contains(parts.count), let last = parts.last, let clock = numbers(last, ":"),
            (2...3).contains(clock.count), clock[0] < 24, clock[1] < 60, clock.count < 3 || clock[2] < 60
        else { throw OptionError(text, isNot: "a time", write: examples) }
        var fields = LocalTime.fields(of: Date(timeIntervalSince1970: now))
        let hasDate = parts.count == 2
        if hasDate {
            guard let day = numbers(parts[0], "-"), day.count == 3, (1970...9999).contains(day[0]),
                (1...12).contains(day[1]), (1...31).contains(day[2])
            else { throw OptionError(text, isNot: "a time", write: examples) }
            (fields.tm_year, fields.tm_mon) = (Int32(clamping: day[0] - 1900), Int32(clamping: day[1] - 1))
            fields.tm_mday = Int32(clamping: day[2])
        }
        (fields.tm_hour, fields.tm_min) = (Int32(clamping: clock[0]), Int32(clamping: clock[1]))
        fields.tm_sec = clock.count == 3 ? Int32(clamping: clock[2]) : 0
        let time = LocalTime.date(of: fields).timeIntervalSince1970
        guard !hasDate, time > now else { return time }
        fields.tm_mday -= 1
        return LocalTime.date(of: fields).timeIntervalSince1970
    }

    private static func numbers(_ text: Substring, _ separator: Character) -> [Int]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part -> Int? in
            part.allSatisfy { $0.isASCII && $0.isNumber } && part.count <= 4 ? Int(part) : nil
        }
        return numbers.count == parts.count ? numbers : nil
    }
}

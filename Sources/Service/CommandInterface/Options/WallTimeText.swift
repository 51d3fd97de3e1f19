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
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .current
        let parts = text.split(whereSeparator: { $0 == " " || $0 == "T" })
        guard (1...2).contains(parts.count), let last = parts.last, let clock = numbers(last, ":"),
            (2...3).contains(clock.count), clock[0] < 24, clock[1] < 60, clock.count < 3 || clock[2] < 60
        else { throw OptionError(text, isNot: "a time", write: examples) }
        var fields = calendar.dateComponents([.year, .month, .day], from: Date(timeIntervalSince1970: now))
        let hasDate = parts.count == 2
        if hasDate {
            guard let day = numbers(parts[0], "-"), day.count == 3, (1970...9999).contains(day[0]),
                (1...12).contains(day[1]), (1...31).contains(day[2])
            else { throw OptionError(text, isNot: "a time", write: examples) }
            (fields.year, fields.month, fields.day) = (day[0], day[1], day[2])
        }
        (fields.hour, fields.minute, fields.second) = (clock[0], clock[1], clock.count == 3 ? clock[2] : 0)
        guard let date = calendar.date(from: fields) else { throw OptionError(text, isNot: "a time", write: examples) }
        guard !hasDate, date.timeIntervalSince1970 > now,
            let before = calendar.date(byAdding: .day, value: -1, to: date)
        else { return date.timeIntervalSince1970 }
        return before.timeIntervalSince1970
    }

    private static func numbers(_ text: Substring, _ separator: Character) -> [Int]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part -> Int? in
            part.allSatisfy { $0.isASCII && $0.isNumber } && part.count <= 4 ? Int(part) : nil
        }
        return numbers.count == parts.count ? numbers : nil
    }
}

import Foundation

/// Times of the wall clock as users write them: `14:30`, `14:30:05`, `2026-11-21 14:30`, `2026-11-21T14:30:05+01:00`.
package enum WallTimeText {
    /// Local time; tests replace it.
    struct Local {
        var fields: (Date) -> tm = LocalTime.fields(of:)
        var dates: (tm) -> ClosedRange<Date> = LocalTime.dates(of:)
    }

    private static let examples = "14:30, 2026-11-21 14:30 or 2026-11-21T14:30:05+01:00"

    /// Parses a time. A time without an offset is in the time zone of this machine. A time without a date is the last
    /// such time before `now`: at ten past midnight, `23:50` is a time of yesterday.
    ///
    /// - Parameter now: The current time in seconds since 1970.
    /// - Returns: Seconds since 1970. The bounds differ if the clock shows this time twice on that date, because it is
    ///   set back.
    package static func parse(_ text: String, now: Double) throws(OptionError) -> ClosedRange<Double> {
        try parse(text, now: now, Local())
    }

    static func parse(_ text: String, now: Double, _ local: Local) throws(OptionError) -> ClosedRange<Double> {
        guard let written = Written(text) else { throw OptionError(text, isNot: "a time", write: examples) }
        var fields = local.fields(Date(timeIntervalSince1970: now))
        if let day = written.day {
            (fields.tm_year, fields.tm_mon, fields.tm_mday) = (day.year - 1900, day.month - 1, day.day)
        }
        (fields.tm_hour, fields.tm_min, fields.tm_sec) = (written.hour, written.minute, written.second)
        if let offset = written.offset {
            let time = Double(timegm(&fields)) - Double(offset) + written.fraction
            return time...time
        }
        func times(_ fields: tm) -> ClosedRange<Double> {
            let dates = local.dates(fields)
            return dates.lowerBound.timeIntervalSince1970...dates.upperBound.timeIntervalSince1970
        }
        let today = times(fields)
        guard written.day == nil else { return today }
        for time in [today.upperBound, today.lowerBound] where time <= now { return time...time }
        fields.tm_mday -= 1
        let time = times(fields).upperBound
        return time...time
    }
}

/// The numbers of a time, each within its limits.
private struct Written {
    var day: (year: Int32, month: Int32, day: Int32)?
    var hour: Int32 = 0
    var minute: Int32 = 0
    var second: Int32 = 0
    /// The fraction of the second; only a time with an offset has one.
    var fraction = 0.0
    /// The offset from UTC in seconds; nil for local time.
    var offset: Int32?

    init?(_ text: String) {
        let parts = text.split(whereSeparator: { $0 == " " || $0 == "T" })
        guard (1...2).contains(parts.count), var clock = parts.last else { return nil }
        if parts.count == 2 {
            guard let day = Self.day(parts[0]) else { return nil }
            self.day = day
            if let sign = clock.lastIndex(where: { "+-Z".contains($0) }) {
                guard let offset = Self.offset(clock[sign...]) else { return nil }
                self.offset = offset
                clock = clock[..<sign]
                if let point = clock.firstIndex(of: ".") {
                    guard let fraction = Self.fraction(clock[point...]) else { return nil }
                    self.fraction = fraction
                    clock = clock[..<point]
                }
            }
        }
        guard let numbers = Self.numbers(clock, ":"), (2...3).contains(numbers.count), numbers[0] < 24,
            numbers.dropFirst().allSatisfy({ $0 < 60 })
        else { return nil }
        (hour, minute, second) = (numbers[0], numbers[1], numbers.count == 3 ? numbers[2] : 0)
    }

    private static func day(_ text: Substring) -> (year: Int32, month: Int32, day: Int32)? {
        guard let numbers = numbers(text, "-"), numbers.count == 3, (1970...9999).contains(numbers[0]),
            (1...12).contains(numbers[1])
        else { return nil }
        // The day before the first day of the next month.
        var end = tm()
        (end.tm_year, end.tm_mon) = (numbers[0] - 1900, numbers[1])
        timegm(&end)
        guard (1...end.tm_mday).contains(numbers[2]) else { return nil }
        return (numbers[0], numbers[1], numbers[2])
    }

    /// Parses `Z`, `+01:00` or `+0100`.
    private static func offset(_ text: Substring) -> Int32? {
        guard text != "Z" else { return 0 }
        let digits = text.dropFirst().split(separator: ":", omittingEmptySubsequences: false).joined()
        guard text.first != "Z", digits.count == 4,
            text.count == 5 || text.count == 6 && text.dropFirst(3).first == ":",
            let number = numbers(Substring(digits), ":")?.first, number < 2400, number % 100 < 60
        else { return nil }
        return (text.first == "-" ? -1 : 1) * (number / 100 * 3600 + number % 100 * 60)
    }

    /// Parses the digits after a point.
    private static func fraction(_ text: Substring) -> Double? {
        let digits = text.dropFirst()
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        return Double("0." + digits)
    }

    private static func numbers(_ text: Substring, _ separator: Character) -> [Int32]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part -> Int32? in
            part.allSatisfy { $0.isASCII && $0.isNumber } && part.count <= 4 ? Int32(part) : nil
        }
        return numbers.count == parts.count ? numbers : nil
    }
}

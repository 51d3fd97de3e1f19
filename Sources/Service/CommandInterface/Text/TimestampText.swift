package import Foundation

/// Wall-clock times in the form that logs, statuses and movies use.
package enum TimestampText {
    /// Formats a time in ISO 8601: "2026-11-21T14:03:22+01:00".
    package static func text(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(timeZoneSeparator: .colon, timeZone: LocalTime.timeZone(at: date)))
    }
}

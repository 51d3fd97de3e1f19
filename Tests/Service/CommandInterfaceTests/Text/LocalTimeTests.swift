import Foundation
import Testing

@testable import CommandInterface

/// Times in the time zone of this machine.
@Suite struct LocalTimeTests {
    /// Times of more than a year, at all hours.
    private let times = (0..<300).map { Date(timeIntervalSince1970: 1_795_269_802 + Double($0) * 37 * 3600) }

    @Test func dates_fieldsOfATime_includeIt() {
        for time in times {
            let dates = LocalTime.dates(of: LocalTime.fields(of: time))
            #expect(dates.lowerBound == time || dates.upperBound == time)
            #expect(LocalTime.minute(of: dates.lowerBound) == LocalTime.minute(of: time))
            #expect(LocalTime.minute(of: dates.upperBound) == LocalTime.minute(of: time))
        }
    }

    @Test func minute_timeOfDay_isThatOfTheTimeZone() {
        for time in times {
            let zone = LocalTime.timeZone(at: time)
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = zone
            let parts = calendar.dateComponents([.hour, .minute], from: time)
            #expect(LocalTime.minute(of: time) == (parts.hour ?? 0) * 60 + (parts.minute ?? 0))
        }
    }
}

import FakeDevices
import Foundation
import MediaTypes
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

@Suite struct SegmentClockTests {
    private func calendar(_ zone: String) throws -> Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: zone))
        return calendar
    }

    private func clock(_ seconds: Int, aligned: Bool = true, zone: String = "UTC") throws -> SegmentClock {
        let calendar = try calendar(zone)
        return SegmentClock(
            rules: SegmentRules(duration: milliseconds(seconds * 1000), isAligned: aligned),
            day: { calendar.dateInterval(of: .day, for: $0) ?? DateInterval(start: $0, duration: 0) })
    }

    private func date(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }

    /// Returns the length in seconds.
    private func length(_ clock: SegmentClock, from text: String) throws -> Double? {
        clock.length(from: try date(text))?.seconds
    }

    @Test func length_noRule_isUnlimited() throws {
        #expect(SegmentClock(rules: SegmentRules()).length(from: Date()) == nil)
        #expect(SegmentClock(rules: SegmentRules(isAligned: true)).length(from: Date()) == nil)
        #expect(try length(clock(90, aligned: false), from: "2026-11-21T14:03:22Z") == 90)
    }

    @Test func length_aligned_endsAtMultiplesAfterMidnight() throws {
        let clock = try clock(600)
        #expect(try length(clock, from: "2026-11-21T14:03:22Z") == 398)
        #expect(try length(clock, from: "2026-11-21T14:10:00Z") == 600)
        #expect(try length(clock, from: "2026-11-21T00:00:00Z") == 600)
    }

    @Test func length_underOneSecond_joinsTheNextFile() throws {
        let start = try date("2026-11-21T14:09:59Z").addingTimeInterval(0.5)
        let length = try #require(try clock(600).length(from: start))
        #expect(abs(length.seconds - 600.5) < 1e-5)
    }

    @Test func length_acrossMidnight_endsAtMidnight() throws {
        // Seven hours do not divide a day.
        let clock = try clock(7 * 3600)
        #expect(try length(clock, from: "2026-11-21T21:00:00Z") == 3 * 3600)
        #expect(try length(clock, from: "2026-11-22T00:00:00Z") == 7 * 3600)
        #expect(try length(clock, from: "2026-11-21T23:59:58Z") == 2)
    }

    @Test func length_daysOf23And25Hours_endsAtTheirMidnights() throws {
        let berlin = try clock(6 * 3600, zone: "Europe/Berlin")
        // 2026-03-29 has 23 hours: midnight is 23:00 UTC the day before, the next one 22:00 UTC.
        #expect(try length(berlin, from: "2026-03-29T17:00:00Z") == 5 * 3600)
        // 2026-10-25 has 25 hours, from 22:00 UTC to 23:00 UTC.
        #expect(try length(berlin, from: "2026-10-25T16:00:00Z") == 6 * 3600)
        #expect(try length(berlin, from: "2026-10-25T22:00:00Z") == 3600)
    }

    @Test func length_filesOfADay_endAtMidnight() throws {
        for zone in ["UTC", "Europe/Berlin", "Asia/Kolkata", "America/St_Johns"] {
            let (clock, calendar) = (try clock(86_400, zone: zone), try calendar(zone))
            for hour in stride(from: 0, to: 24 * 365, by: 37) {
                let start = try date("2026-01-01T00:00:00Z").addingTimeInterval(Double(hour) * 3600 + 1800)
                let length = try #require(clock.length(from: start)).seconds
                #expect(length > 0 && length <= 25 * 3600)
                let end = start.addingTimeInterval(length)
                // The day on which a clock is set back is an hour longer than the rule.
                let day = calendar.dateInterval(of: .day, for: start)?.duration
                if day == 25 * 3600 { continue }
                #expect(abs(calendar.startOfDay(for: end.addingTimeInterval(1)).timeIntervalSince(end)) < 0.01)
            }
        }
    }

    @Test func length_anyStart_isPositive() throws {
        let clock = try clock(1)
        for offset in 0..<5000 {
            let start = try date("2026-11-21T23:59:57Z").addingTimeInterval(Double(offset) / 997)
            let length = try #require(clock.length(from: start)).seconds
            #expect(length >= 0.99 && length <= 2.01)
        }
    }
}

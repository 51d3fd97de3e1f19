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
        let zone = try #require(TimeZone(identifier: zone))
        return SegmentClock(
            rules: SegmentRules(duration: milliseconds(seconds * 1000), isAligned: aligned),
            offset: { zone.secondsFromGMT(for: $0) })
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

    /// Returns the times of the clock at which the files of a day begin.
    private func starts(_ clock: SegmentClock, zone: String, from text: String) throws -> [String] {
        let calendar = try calendar(zone)
        var start = try date(text)
        let end = start.addingTimeInterval(24 * 3600)
        var starts: [String] = []
        while start < end {
            let parts = calendar.dateComponents([.hour, .minute, .second], from: start)
            starts.append("\(parts.hour ?? -1)" + (parts.minute == 0 && parts.second == 0 ? "" : "!"))
            start += try #require(clock.length(from: start)).seconds
        }
        return starts
    }

    @Test func length_clockIsSetForward_endsAtMultiplesOfTheNewTime() throws {
        // 2026-03-29 in Berlin: 02:00 is 03:00.
        func starts(_ hours: Int) throws -> [String] {
            try self.starts(
                clock(hours * 3600, zone: "Europe/Berlin"), zone: "Europe/Berlin", from: "2026-03-28T23:00:00Z")
        }
        #expect(try starts(1).prefix(4) == ["0", "1", "3", "4"])
        #expect(try starts(2).prefix(4) == ["0", "4", "6", "8"])
        #expect(try starts(3).prefix(4) == ["0", "3", "6", "9"])
        #expect(try starts(6) == ["0", "6", "12", "18", "0"])
        #expect(try starts(24) == ["0", "0"])
    }

    @Test func length_clockIsSetBack_endsAtMultiplesOfTheNewTime() throws {
        // 2026-10-25 in Berlin: 03:00 is 02:00 again.
        func starts(_ hours: Int) throws -> [String] {
            try self.starts(
                clock(hours * 3600, zone: "Europe/Berlin"), zone: "Europe/Berlin", from: "2026-10-24T22:00:00Z")
        }
        #expect(try starts(1).prefix(5) == ["0", "1", "2", "2", "3"])
        #expect(try starts(2).prefix(5) == ["0", "2", "2", "4", "6"])
        #expect(try starts(3).prefix(4) == ["0", "3", "6", "9"])
        #expect(try starts(6) == ["0", "6", "12", "18"])
        #expect(try starts(24) == ["0"])
    }

    @Test func length_clockIsSetAtMidnight_filesBelongToOneDay() throws {
        // 2026-03-08 in Havana begins at 01:00.
        let starts = try starts(
            clock(7200, zone: "America/Havana"), zone: "America/Havana", from: "2026-03-08T03:00:00Z")
        #expect(starts.prefix(4) == ["22", "1", "2", "4"])
    }

    @Test func length_filesOfADay_endAtMidnight() throws {
        for zone in ["UTC", "Europe/Berlin", "Asia/Kolkata", "America/St_Johns"] {
            let (clock, calendar) = (try clock(86_400, zone: zone), try calendar(zone))
            for hour in stride(from: 0, to: 24 * 365, by: 37) {
                let start = try date("2026-01-01T00:00:00Z").addingTimeInterval(Double(hour) * 3600 + 1800)
                let length = try #require(clock.length(from: start)).seconds
                #expect(length > 0 && length <= 25 * 3600)
                let end = start.addingTimeInterval(length)
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

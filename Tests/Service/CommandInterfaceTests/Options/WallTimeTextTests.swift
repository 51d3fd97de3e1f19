import Foundation
import Testing

@testable import CommandInterface

/// Times of day and dates, in the time zone of this machine.
@Suite struct WallTimeTextTests {
    private let calendar = Calendar(identifier: .gregorian)

    private func time(_ day: Int, _ hour: Int, _ minute: Int, _ second: Int = 0) -> Double {
        let fields = DateComponents(year: 2026, month: 11, day: day, hour: hour, minute: minute, second: second)
        return calendar.date(from: fields)?.timeIntervalSince1970 ?? -1
    }

    /// Parses a text that means one time.
    private func parse(_ text: String, now: Double) throws -> Double {
        let times = try WallTimeText.parse(text, now: now)
        #expect(times.lowerBound == times.upperBound)
        return times.lowerBound
    }

    @Test func parse_timeOfDay_isTheLastOneBeforeNow() throws {
        let now = time(21, 14, 30)
        #expect(try parse("14:30", now: now) == time(21, 14, 30))
        #expect(try parse("14:29:05", now: now) == time(21, 14, 29, 5))
        #expect(try parse("14:31", now: now) == time(20, 14, 31))
        #expect(try parse("0:00", now: now) == time(21, 0, 0))
    }

    @Test func parse_date_isThatTime() throws {
        let now = time(21, 14, 30)
        #expect(try parse("2026-11-20 9:05", now: now) == time(20, 9, 5))
        #expect(try parse("2026-11-22T09:05:06", now: now) == time(22, 9, 5, 6))
        #expect(try parse("2026-11-21T14:30:05+01:00", now: now) == 1_795_267_805)
        #expect(try parse("2026-11-21T13:30:05Z", now: now) == 1_795_267_805)
        #expect(try parse("2026-11-21T12:30:05-0100", now: now) == 1_795_267_805)
        #expect(try parse("2026-11-21T18:30:05.5+05:00", now: now) == 1_795_267_805.5)
        #expect(try parse("2028-02-29T00:00:00Z", now: now) == 1_835_395_200)
    }

    /// In Berlin, the clock shows every time from 02:00 to 03:00 twice on 2026-10-25: until 01:00 UTC in summer time.
    private let berlin = WallTimeText.Local { date in
        var time = time_t(date.timeIntervalSince1970) + (date.timeIntervalSince1970 < 1_792_890_000 ? 7200 : 3600)
        var fields = tm()
        gmtime_r(&time, &fields)
        return fields
    } dates: { fields in
        var copy = fields
        let time = Double(timegm(&copy))
        let (summer, winter) = (Date(timeIntervalSince1970: time - 7200), Date(timeIntervalSince1970: time - 3600))
        let change = Date(timeIntervalSince1970: 1_792_890_000)
        return (summer < change ? summer : winter)...(winter < change ? summer : winter)
    }

    @Test func parse_hourThatOccursTwice_isTheLastOneBeforeNowOrBoth() throws {
        // 02:30 in winter time, half an hour after the clock was set back.
        let now = 1_792_891_800.0
        func parse(_ text: String) throws -> [Double] {
            let times = try WallTimeText.parse(text, now: now, berlin)
            return [times.lowerBound, times.upperBound].map { $0 - now }
        }
        #expect(try parse("02:15") == [-900, -900])
        #expect(try parse("02:30") == [0, 0])
        #expect(try parse("02:45") == [-2700, -2700])
        #expect(try parse("03:00") == [-88_200, -88_200])
        #expect(try parse("2026-10-25 02:15") == [-4500, -900])
        #expect(try parse("2026-10-25 03:15") == [2700, 2700])
        #expect(try parse("2026-10-25 01:15") == [-8100, -8100])
        #expect(try parse("2026-10-25T02:15:00+02:00") == [-4500, -4500])
    }

    @Test(arguments: [
        "", "now", "14", "14:", "24:00", "14:60", "14:30:60", "2026-11-21", "2026-13-01 10:00", "1:2:3:4", "-1:30",
        "2026-11-21 14:30 x", "2026-02-31 10:00", "2026-02-29T10:00:00Z", "2026-00-10 10:00", "2025-11-21T14:30:05Zfoo",
        "2025-11-21T14:60:05Z", "2025-11-21T24:30:05Z", "2025-11-21T14:30:05+01::00", "2025-11-21T14:30:05+24:00",
        "2025-11-21T14:30:05+1", "2025-11-21T14:30:05.+01:00", "14:30+01:00", "2025-11-21T14:30:05ZZ",
    ])
    func parse_invalidText_isRefused(text: String) {
        #expect(throws: OptionError.self) { try WallTimeText.parse(text, now: 1_795_267_805) }
    }
}

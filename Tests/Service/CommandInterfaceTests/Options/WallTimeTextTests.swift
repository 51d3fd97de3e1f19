import CommandInterface
import Foundation
import Testing

/// Times of day and dates, in the time zone of this machine.
@Suite struct WallTimeTextTests {
    private let calendar = Calendar(identifier: .gregorian)

    private func time(_ day: Int, _ hour: Int, _ minute: Int, _ second: Int = 0) -> Double {
        let fields = DateComponents(year: 2026, month: 11, day: day, hour: hour, minute: minute, second: second)
        return calendar.date(from: fields)?.timeIntervalSince1970 ?? -1
    }

    @Test func parse_timeOfDay_isTheLastOneBeforeNow() throws {
        let now = time(21, 14, 30)
        #expect(try WallTimeText.parse("14:30", now: now) == time(21, 14, 30))
        #expect(try WallTimeText.parse("14:29:05", now: now) == time(21, 14, 29, 5))
        #expect(try WallTimeText.parse("14:31", now: now) == time(20, 14, 31))
        #expect(try WallTimeText.parse("0:00", now: now) == time(21, 0, 0))
    }

    @Test func parse_date_isThatTime() throws {
        let now = time(21, 14, 30)
        #expect(try WallTimeText.parse("2026-11-20 9:05", now: now) == time(20, 9, 5))
        #expect(try WallTimeText.parse("2026-11-22T09:05:06", now: now) == time(22, 9, 5, 6))
        #expect(try WallTimeText.parse("2026-11-21T14:30:05+01:00", now: now) == 1_795_267_805)
        #expect(try WallTimeText.parse("2026-11-21T13:30:05Z", now: now) == 1_795_267_805)
    }

    @Test(arguments: [
        "", "now", "14", "14:", "24:00", "14:60", "14:30:60", "2026-11-21", "2026-13-01 10:00", "1:2:3:4", "-1:30",
        "2026-11-21 14:30 x",
    ])
    func parse_invalidText_isRefused(text: String) {
        #expect(throws: OptionError.self) { try WallTimeText.parse(text, now: 1_795_267_805) }
    }
}

import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

@Suite struct StampLineTests {
    private static let second: Int64 = 1_000_000_000

    static func text(_ line: StampLine) -> String {
        var text = ""
        text.unicodeScalars.append(contentsOf: line.scalars.compactMap { Unicode.Scalar($0) })
        return text
    }

    private static func text(_ pattern: String, _ wall: Int64, number: Int = 1) throws -> String {
        var line = StampLine(try StampPattern(pattern), name: "front")
        line.update(FrameMoment(wall: wall, number: number))
        return text(line)
    }

    @Test func text_anyTime_equalsThatOfGNUDate() throws {
        let pattern = "%Y-%m-%d %H:%M:%S.%3N %6N %Z %z %s %j %-d %a %B"
        for (seconds, fraction) in [(1_800_000_000, "123456"), (1_782_900_000, "000999"), (1_798_761_599, "999999")] {
            let date = try Command.run("env", "LC_ALL=C", "date", "-d", "@\(seconds).\(fraction)", "+" + pattern)
            try #require(date.status == 0, "\(date.errors)")
            let wall = Int64(seconds) * Self.second + (Int64(fraction) ?? 0) * 1000
            #expect(try Self.text(pattern, wall) == date.text.trimmingCharacters(in: .newlines))
        }
    }

    @Test func text_nameAndCounter_areInserted() throws {
        let wall = 1_800_000_000 * Self.second
        #expect(try Self.text("%{name}/%{counter}: 100 %%", wall, number: 1234) == "front/1234: 100 %")
        #expect(try Self.text("%{counter}", wall, number: 0) == "0")
        #expect(try Self.text("Tür–%{counter}", wall, number: 10) == "Tür–10")
    }

    @Test func fraction_nearTheNextMillisecond_isCutOffAndNotRounded() throws {
        let wall = 1_800_000_000 * Self.second
        #expect(try Self.text("%S.%3N", wall + 999_499_000) == "00.999")
        #expect(try Self.text("%S.%3N", wall + 999_999_000) == "00.999")
        // Less than half a microsecond is an error of the clock's form, not of its time.
        #expect(try Self.text("%S.%3N", wall + 40_000_000 - 300) == "00.040")
        #expect(try Self.text("%S.%3N", wall - 400) == "00.000")
        #expect(try Self.text("%1N %2N", wall + 87_654_000) == "0 08")
    }

    @Test func text_beforeTheEpoch_countsForward() throws {
        #expect(try Self.text("%S.%3N", -1_000_000) == "59.999")
    }

    @Test func update_manyFrames_showsEachOne() throws {
        var line = StampLine(try StampPattern("%S.%3N #%{counter}"), name: "front")
        for number in 1...200 {
            let milliseconds = number * 40
            let wall = 1_800_000_000 * Self.second + Int64(milliseconds) * 1_000_000
            line.update(FrameMoment(wall: wall, number: number))
            let (second, rest) = (milliseconds / 1000, milliseconds % 1000)
            let digits = String(1000 + rest).dropFirst()
            #expect(Self.text(line) == "\(second < 10 ? "0" : "")\(second).\(digits) #\(number)")
        }
    }

    @Test func text_longFields_areLimited() throws {
        let text = try Self.text(String(repeating: "%99S", count: 50), 0)
        #expect(text.unicodeScalars.count <= StampLine.most)
    }
}

import Foundation
import MediaTypes
import Testing

@testable import MovieCommands

/// Recordings lie beside each other by the machine's clock where they have one, else by the wall's, within what is known of it.
struct ClockAlignmentTests {
    private func clock(
        _ boot: String, start: Double, offset: Double = 0, end: Double? = nil, uncertainty: Double? = nil
    ) -> RecordingClock {
        var wall = [RecordingClock.WallTime(at: start, wall: start + offset, uncertainty: uncertainty)]
        if let end { wall.append(.init(at: start + 3600, wall: start + 3600 + end, uncertainty: uncertainty)) }
        return RecordingClock(boot: boot, start: start, wall: wall)
    }

    @Test func onOneMachineItIsExactWhateverTheWallClockSays() throws {
        let alignment = try #require(
            ClockAlignment([clock("a", start: 100.5, offset: 7), clock("a", start: 98, offset: -900, end: 20)]))
        #expect(alignment.offsets == [2.5, 0])
        #expect(alignment.uncertainty == 0 && alignment.drift == 0)
    }

    @Test func onTwoMachinesTheWallClocksSayAndTheirErrorsAddUp() throws {
        let alignment = try #require(
            ClockAlignment([
                clock("a", start: 100, offset: 1000, end: 1000, uncertainty: 0.004),
                clock("b", start: 5, offset: 1096.25, end: 1096.28, uncertainty: 0.010),
            ]))
        #expect(alignment.offsets == [0, 1.25])
        #expect(alignment.uncertainty.map { abs($0 - 0.014) < 1e-9 } == true)
        #expect(abs(alignment.drift - 0.03) < 1e-6)
        #expect(
            Combiner.account(alignment)
                == "in step within 14.0 ms by the wall clocks at the beginning, 30 ms further apart at the end")
    }

    @Test func aClockThatNobodyVouchesForIsSaid() throws {
        let alignment = try #require(
            ClockAlignment([clock("a", start: 100, offset: 1), clock("b", start: 5, offset: 96, uncertainty: 0.01)]))
        #expect(alignment.uncertainty == nil)
        #expect(Combiner.account(alignment).contains("nobody vouched"))
    }

    @Test func withoutAnyWallClockTwoMachinesHaveNothingInCommon() {
        #expect(ClockAlignment([clock("a", start: 1), RecordingClock(boot: "b", start: 2)]) == nil)
        #expect(ClockAlignment([]) == nil)
    }

    /// A file may say anything.
    @Test(arguments: ["", "{}", "[]", #"{"boot":"a","start":"soon","wall":[]}"#, #"{"boot":"a","wall":[]}"#])
    func whatCannotBeUsedIsNone(text: String) {
        #expect(RecordingClock([MetadataItem(key: MetadataItem.clockKey, value: text)]) == nil)
    }

    @Test func itIsReadAsItWasWritten() {
        let written = RecordingClock(
            boot: "a", start: 12345.678901234, group: "stage", wall: [.init(at: 1, wall: 2, uncertainty: nil)])
        #expect(RecordingClock([written.metadataItem]) == written)
        #expect(RecordingClock([MetadataItem(key: "title", value: "x")]) == nil)
    }
}

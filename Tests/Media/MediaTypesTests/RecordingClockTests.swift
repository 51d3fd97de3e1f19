import MediaTypes
import Testing

@Suite struct RecordingClockTests {
    private static let good =
        #"{"boot":"b","start":5,"wall":[{"at":5,"wall":1795000000,"uncertainty":0.01}],"pauses":[{"time":1,"duration":2}]}"#

    @Test func clock_written_isReadBack() throws {
        let clock = try #require(RecordingClock(text: Self.good))
        #expect(RecordingClock([clock.metadataItem]) == clock)
        #expect(clock.wallStart == 1_795_000_000 && clock.pauses == [.init(time: 1, duration: 2)])
    }

    @Test func clock_pausesNotStated_hasNone() {
        #expect(RecordingClock(text: #"{"boot":"b","start":5,"wall":[]}"#)?.pauses == [])
    }

    @Test(arguments: ["wall", "pauses"]) func clock_tooManyEntries_isRefused(list: String) {
        let entry = list == "wall" ? #"{"at":5,"wall":6}"# : #"{"time":1,"duration":2}"#
        func text(_ count: Int) -> String {
            let entries = Array(repeating: entry, count: count).joined(separator: ",")
            let lists = list == "wall" ? #""wall":[\#(entries)]"# : #""wall":[],"pauses":[\#(entries)]"#
            return #"{"boot":"b","start":5,\#(lists)}"#
        }
        #expect(RecordingClock(text: text(1024)) != nil)
        #expect(RecordingClock(text: text(20_000)) == nil)
    }

    /// Sums of such numbers would be meaningless.
    @Test(arguments: [
        (#""start":5"#, #""start":1e300"#), (#""at":5"#, #""at":-1e300"#), (#""wall":1795000000"#, #""wall":1e308"#),
        (#""uncertainty":0.01"#, #""uncertainty":-1"#), (#""time":1"#, #""time":-1"#),
        (#""duration":2"#, #""duration":1e200"#), (#""duration":2"#, #""duration":-2"#), (#""boot":"b","#, ""),
    ])
    func clock_invalidNumbers_isRefused(part: String, instead: String) {
        #expect(RecordingClock(text: Self.good.replacing(part, with: instead)) == nil)
    }
}

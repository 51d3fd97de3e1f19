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

import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

@Suite struct SpellingTests {
    private static let commands = ["start", "stop", "status", "split", "save", "config"]

    @Test(arguments: [
        ("strat", "start"), ("sttus", "status"), ("stpo", "stop"), ("confgi", "config"), ("STATUS", "status"),
    ])
    func nearest_typo_findsTheWord(word: String, meant: String) {
        #expect(Spelling.nearest(to: word, in: Self.commands) == meant)
    }

    @Test(arguments: ["start", "yard", "sp", "", "record", "a-very-long-word-without-a-meaning"])
    func nearest_correctOrUnrelatedWord_findsNothing(word: String) {
        #expect(Spelling.nearest(to: word, in: Self.commands) == nil)
    }
}

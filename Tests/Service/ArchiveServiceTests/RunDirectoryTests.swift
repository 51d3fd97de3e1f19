import FileSystem
import TestSupport
import Testing

@testable import ArchiveService

@Suite struct RunDirectoryTests {
    /// The same files are written and read if the plan's name is not UTF-8.
    @Test func runDirectory_planNameIsNotUTF8_isReadBack() throws {
        let place = try TemporaryDirectory()
        let directory = RunDirectory(ofPlan: PathText.text(Array(place.path("plan-").utf8) + [0xE9]))
        try directory.make()
        var options = RunOptions()
        options.replaces = true
        try options.save(directory)
        #expect(RunOptions.load(directory)?.replaces == true)
        // The options of an earlier version.
        #expect(RunOptions.load(directory)?.replacesIncomplete == nil)
        directory.record(waitsFor: "a recorder")
        #expect(directory.waitsFor == "a recorder")
        let journal = SlurmJournal(directory)
        let submission = SlurmJournal.Submission(job: 7, tasks: [1, 2], isJoin: nil)
        try journal.add(submission)
        #expect(journal.read() == [submission])
        let accounting = Accounting(directory, host: "here")
        try accounting.append(accounting.line(.begun, task: 1))
        var reader = Accounting.Reader(directory)
        #expect(reader.next().map(\.task) == [1])
    }
}

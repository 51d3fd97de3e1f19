import Foundation
import Logging
import TestSupport
import Testing

@testable import RecorderService

/// The list of recordings that the next start makes whole.
@Suite struct UnfinishedRecordingsTests {
    private let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func list(in directory: TemporaryDirectory, name: String = "front") throws -> UnfinishedRecordings {
        UnfinishedRecordings(
            try RecordingName(parsing: name), in: StateDirectory(environment: ["XDG_STATE_HOME": directory.url.path]))
    }

    @Test func everyNameHasItsOwnListAndItOutlivesTheProcess() throws {
        let directory = try TemporaryDirectory()
        let front = try list(in: directory)
        #expect(front.files == [])
        try front.add("/a/1.recording.mov")
        try front.add("/b/2.recording.mov")
        try front.add("/a/1.recording.mov")
        #expect(try list(in: directory).files == ["/b/2.recording.mov", "/a/1.recording.mov"])
        #expect(try list(in: directory, name: "back").files == [])
        try front.remove("/b/2.recording.mov")
        #expect(front.files == ["/a/1.recording.mov"])
    }

    @Test func removingFromNoListMakesNone() throws {
        let directory = try TemporaryDirectory()
        try list(in: directory).remove("/a.mov")
        #expect(directory.names == [])
    }

    @Test func aFileThatIsGoneIsForgottenAndOneOnAMissingDiskIsNot() throws {
        let directory = try TemporaryDirectory()
        let front = try list(in: directory)
        try front.add(directory.path("gone.recording.mov"))
        try front.add("/no/such/disk/a.recording.mov")
        front.repair(log: log)
        #expect(front.files == ["/no/such/disk/a.recording.mov"])
    }

    @Test func whatIsNoRecordingIsForgottenAndStays() throws {
        let directory = try TemporaryDirectory()
        let front = try list(in: directory)
        try Data("text".utf8).write(to: directory.file("a.recording.mov"))
        try front.add(directory.path("a.recording.mov"))
        front.repair(log: log)
        #expect(front.files == [])
        #expect(FileManager.default.fileExists(atPath: directory.path("a.recording.mov")))
    }

    @Test func aListThatIsGarbageIsAnEmptyOne() throws {
        let directory = try TemporaryDirectory()
        let front = try list(in: directory)
        try front.add("/a.mov")
        try Data("garbage".utf8).write(to: directory.file("recorder/front.unfinished.json"))
        #expect(front.files == [])
        try front.add("/b.mov")
        #expect(front.files == ["/b.mov"])
    }
}

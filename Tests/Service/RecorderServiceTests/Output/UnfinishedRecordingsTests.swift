import Foundation
import Logging
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// The list of unfinished files that the next start finalizes.
@Suite struct UnfinishedRecordingsTests {
    private let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func list(in directory: TemporaryDirectory, name: String = "front") throws -> UnfinishedRecordings {
        UnfinishedRecordings(
            try RecordingName(parsing: name), in: StateDirectory(environment: ["XDG_STATE_HOME": directory.url.path]))
    }

    @Test func list_eachName_isSeparateAndPersistent() throws {
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

    @Test func remove_noList_createsNone() throws {
        let directory = try TemporaryDirectory()
        try list(in: directory).remove("/a.mov")
        #expect(directory.names == [])
    }

    @Test func repair_missingFile_isForgottenUnlessItsDiskIsMissing() throws {
        let directory = try TemporaryDirectory()
        let front = try list(in: directory)
        try front.add(directory.path("gone.recording.mov"))
        try front.add("/no/such/disk/a.recording.mov")
        front.repair(log: log)
        #expect(front.files == ["/no/such/disk/a.recording.mov"])
    }

    /// The directory is the mount point of a disk, so it exists even without the disk.
    @Test func repair_diskOfMissingFileIsNotMounted_keepsIt() throws {
        let directory = try TemporaryDirectory()
        let front = try list(in: directory)
        let file = directory.path("a.recording.mov")
        try front.add(file)
        let name = try RecordingName(parsing: "front")
        let disks = StateDirectory(environment: ["XDG_STATE_HOME": directory.url.path]).unfinishedDisks(name)
        func store(mount: String) throws {
            try Data("[{\"file\":\"\(file)\",\"mount\":\"\(mount)\"}]".utf8).write(to: URL(fileURLWithPath: disks))
        }
        try store(mount: directory.url.path)
        front.repair(log: log)
        #expect(front.files == [file])
        try store(mount: "/")
        front.repair(log: log)
        #expect(front.files == [])
        let left = try String(contentsOfFile: disks, encoding: .utf8)
        #expect(left.filter { !$0.isWhitespace } == "[]")
    }

    /// The process was killed after the file got its final name and before the catalogue had it.
    @Test func repair_fileHasItsFinalName_isReported() throws {
        let directory = try TemporaryDirectory()
        let front = try list(in: directory)
        for name in ["a", "gone"] { try front.add(directory.path("\(name).recording.mov")) }
        try Data("take".utf8).write(to: directory.file("a.mov"))
        var told: [String] = []
        front.repair(log: log, onFinished: { told.append($0) })
        #expect(told == [directory.path("a.mov")])
        #expect(front.files == [])
    }

    @Test func repair_notARecording_isForgottenAndKept() throws {
        let directory = try TemporaryDirectory()
        let front = try list(in: directory)
        try Data("text".utf8).write(to: directory.file("a.recording.mov"))
        try front.add(directory.path("a.recording.mov"))
        front.repair(log: log)
        #expect(front.files == [])
        #expect(FileManager.default.fileExists(atPath: directory.path("a.recording.mov")))
    }

    @Test func list_garbage_isReadAsEmptyAndKept() throws {
        let directory = try TemporaryDirectory()
        let front = try list(in: directory)
        try front.add("/a.mov")
        try Data("garbage".utf8).write(to: directory.file("recorder/front.unfinished.json"))
        #expect(front.files == [])
        try front.add("/b.mov")
        #expect(front.files == ["/b.mov"])
        // The damaged file is kept for its author.
        #expect(try Data(contentsOf: directory.file("recorder/front.unfinished.json.damaged")) == Data("garbage".utf8))
    }

    /// Makes writing impossible for every user: a file is in the directory's place.
    private func blocked(_ directory: TemporaryDirectory) throws { try Data().write(to: directory.file("recorder")) }
    private func free(_ directory: TemporaryDirectory) throws {
        try FileManager.default.removeItem(at: directory.file("recorder"))
    }

    @Test func addMissing_diskWritableAgain_addsTheFile() throws {
        let directory = try TemporaryDirectory()
        let front = try list(in: directory)
        try blocked(directory)
        #expect(throws: (any Error).self) { try front.add("/a.recording.mov") }
        #expect(front.isAnyMissing && front.problem?.description.contains("/recorder") == true)
        #expect(throws: (any Error).self) { try front.addMissing() }
        try free(directory)
        #expect(try front.addMissing() == ["/a.recording.mov"])
        #expect(front.files == ["/a.recording.mov"] && !front.isAnyMissing && front.problem == nil)
        #expect(try front.addMissing() == [])
    }

    @Test func add_nextFile_addsMissingOnesToo() throws {
        let directory = try TemporaryDirectory()
        let front = try list(in: directory)
        try blocked(directory)
        #expect(throws: (any Error).self) { try front.add("/a.recording.mov") }
        try free(directory)
        try front.add("/b.recording.mov")
        #expect(front.files == ["/a.recording.mov", "/b.recording.mov"] && !front.isAnyMissing)
    }

    @Test func addMissing_finalizedMeanwhile_addsNothing() throws {
        let directory = try TemporaryDirectory()
        let front = try list(in: directory)
        try blocked(directory)
        #expect(throws: (any Error).self) { try front.add("/a.recording.mov") }
        #expect(throws: (any Error).self) { try front.remove("/a.recording.mov") }
        try free(directory)
        #expect(try front.addMissing() == [] && front.files == [])
    }

    @Test func add_unreadableList_keepsAllEntries() throws {
        let directory = try TemporaryDirectory()
        let front = try list(in: directory)
        try front.add("/a.recording.mov")
        let path = directory.path("recorder/front.unfinished.json")
        // A directory in the list's place cannot be read by any user, root included.
        try FileManager.default.moveItem(atPath: path, toPath: path + ".kept")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(throws: (any Error).self) { try front.add("/b.recording.mov") }
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: path + ".kept", toPath: path)
        #expect(try front.addMissing() == ["/b.recording.mov"])
        #expect(front.files == ["/a.recording.mov", "/b.recording.mov"])
    }
}

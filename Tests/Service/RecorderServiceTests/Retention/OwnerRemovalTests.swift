import FileSystem
import Foundation
import Glibc
import MediaTypes
import TestSupport
import Testing

@testable import RecorderStorage

/// The recognition of recordings, and of those that wait for a copy, before an owner or an archive deletes them.
@Suite struct OwnerRemovalTests {
    private let directory: TemporaryDirectory
    private let state: StateDirectory
    private let front: RecordingName

    init() throws {
        directory = try TemporaryDirectory()
        state = StateDirectory(environment: ["XDG_STATE_HOME": directory.path("state")])
        front = try RecordingName(parsing: "front")
        try FileManager.default.createDirectory(at: directory.file("movies"), withIntermediateDirectories: true)
    }

    private var catalogue: RecordingCatalogue { RecordingCatalogue(front, in: state) }

    private func removal(isDeclined: Bool = false) -> OwnerRemoval {
        OwnerRemoval(
            in: state, recorders: { [front] in [front] },
            configuration: { name throws(MediaError) in
                var configuration = RecordingConfiguration()
                configuration.name = name
                configuration.copies.isDeclined = isDeclined
                return configuration
            })
    }

    /// Records a finished file, and enters it with this path before its own.
    private func record(_ name: String, below root: String = "") throws -> String {
        let path = directory.path("movies/\(name)")
        try Data(name.utf8).write(to: URL(fileURLWithPath: path))
        try catalogue.add(root + path)
        return path
    }

    /// Both were started with `--copy-to`, so the configuration file names no remote.
    @Test func plan_copierGotItsRemoteAsOption_waitsForTheCopy() throws {
        let path = try record("a.mov")
        _ = try removal().plan(path)
        let remote = try catalogue.beginCopies(to: "nas:front")
        let error = #expect(throws: MediaError.self) { try removal().plan(path) }
        #expect(error?.code == .busy && error?.reason == "it is not copied to nas:front yet")
        #expect(error?.wayOut.contains("--copy-to nas:front") == true)
        _ = try removal(isDeclined: true).plan(path)
        let entry = try catalogue.entry(path)
        try catalogue.recordCopied(try #require(entry), to: remote)
        _ = try removal().plan(path)
    }

    @Test func plan_earlierDeletionWasInterrupted_findsTheFile() throws {
        let path = try record("a.mov")
        #expect(rename(path, directory.path("movies/.a.mov.deleting")) == 0)
        try removal().delete(try removal().plan(path))
        #expect(FolderContents.names(in: directory.path("movies")) == [])
        #expect(throws: MediaError.self) { try removal().plan(path) }
    }

    /// As below a bind mount: the same file, with a path that no link resolves to the other.
    @Test func isRecorded_fileHasAnotherPath_isFound() throws {
        let path = try record("a.mov", below: "/proc/self/root")
        #expect(try catalogue.entry(path) == nil)
        #expect(try removal().isRecorded(path))
        let plan = try removal().plan(path)
        #expect(plan.file == "/proc/self/root" + path)
        try removal().delete(plan)
        #expect(FolderContents.names(in: directory.path("movies")) == [])
        #expect(try catalogue.recordings.isEmpty)
    }

    @Test func isRecorded_fileWasMovedByTheUser_isNotFound() throws {
        let path = try record("a.mov")
        let moved = directory.path("a.mov")
        #expect(rename(path, moved) == 0)
        #expect(try !removal().isRecorded(moved))
        // The disk of the entry is not mounted, so the file may not have been moved.
        try Database(catalogue.path).execute("UPDATE place SET mount = '/nowhere/usb'")
        let error = #expect(throws: MediaError.self) { try removal().isRecorded(moved) }
        #expect(error?.code == .busy)
    }

    /// Deleting another hard link does not delete the recording.
    @Test func isRecorded_otherHardLink_isNotFound() throws {
        let path = try record("a.mov")
        #expect(link(path, directory.path("b.mov")) == 0)
        #expect(try !removal().isRecorded(directory.path("b.mov")))
        #expect(try removal().isRecorded(path))
    }
}

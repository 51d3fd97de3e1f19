import FileSystem
import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import RecorderStorage

/// Keeping of real files: where a pin is stored, what it survives, and what is never deleted because of it.
@Suite struct OwnerPinsTests {
    private let directory: TemporaryDirectory
    private let state: StateDirectory
    private let front: RecordingName

    init() throws {
        directory = try TemporaryDirectory()
        state = StateDirectory(environment: ["XDG_STATE_HOME": directory.path("state")])
        front = try RecordingName(parsing: "front")
        for name in ["movies", "mirror"] {
            try FileManager.default.createDirectory(at: directory.file(name), withIntermediateDirectories: true)
        }
    }

    private func removal(mirror: String? = nil) -> OwnerRemoval { OwnerRemoval(of: front, mirror: mirror, in: state) }

    private var catalogue: RecordingCatalogue { RecordingCatalogue(front, in: state) }
    private var movies: [String] { FolderContents.names(in: directory.path("movies"))?.sorted() ?? [] }

    @discardableResult
    private func write(_ path: String) throws -> String {
        try Data(count: 100).write(to: directory.file(path))
        return directory.path(path)
    }

    /// Writes a finished file and enters it.
    private func record(_ name: String) throws -> String {
        let path = try write("movies/\(name)")
        try catalogue.add(path, root: directory.path("movies"))
        return path
    }

    @Test func keep_finishedFile_isInTheCatalogueAndBesideTheFile() throws {
        let path = try record("a.mov")
        let change = try removal().pins.keep(path, note: "gate", now: 1_795_000_000)
        #expect(change.file == path && change.copy == nil && change.bytes == 100 && !change.wasKept)
        #expect(movies == ["a.mov", "a.mov.keep"])
        let entry = try #require(try catalogue.entry(path))
        #expect(entry.pin == RecordingPin(since: 1_795_000_000, note: "gate") && entry.isKept)
        #expect(try catalogue.keptStocks().values.map(\.bytes) == [100])
        let again = try removal().pins.keep(path, now: 1_795_000_100)
        #expect(again.wasKept && again.pin?.since == 1_795_000_000 && again.pin?.note == "gate")
    }

    @Test func keep_catalogueDeleted_losesNoPin() throws {
        let path = try record("a.mov")
        _ = try removal().pins.keep(path, note: "gate")
        try FileManager.default.removeItem(atPath: state.finished(front))
        #expect(try catalogue.entry(path) == nil)
        try catalogue.add(path)
        #expect(try catalogue.entry(path)?.pin?.note == "gate")
    }

    @Test func keep_catalogueDamaged_losesNoPin() throws {
        let path = try record("a.mov")
        _ = try removal().pins.keep(path, note: "gate")
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: state.finished(front)))
        try handle.seek(toOffset: 100)
        try handle.write(contentsOf: Data(repeating: 0x55, count: 20_000))
        try handle.close()
        #expect(throws: MediaError.self) { try catalogue.check() }
        // As after the search of the disks for a new catalogue.
        var kind = stat()
        #expect(lstat(path, &kind) == 0)
        let found = FinishedRecording(number: 0, path: path, identity: .init(kind), moment: .now(), root: nil)
        try catalogue.add([(entry: found, directory: directory.path("movies"))])
        #expect(try catalogue.entry(path)?.pin?.note == "gate")
        #expect(throws: MediaError.self) { try removal().plan(path) }
    }

    @Test func keep_sidecarDeleted_staysKeptByTheCatalogue() throws {
        let path = try record("a.mov")
        _ = try removal().pins.keep(path)
        #expect(unlink(path + ".keep") == 0)
        let error = #expect(throws: MediaError.self) { try removal().plan(path) }
        #expect(error?.code == .notPermitted && error?.reason == "`recorder keep` protects it")
        // Entered again after a repair, as the same file.
        try catalogue.add(path)
        #expect(try catalogue.entry(path)?.pin != nil)
    }

    @Test func keep_fileInProgress_isKeptUnderItsFinalName() throws {
        let growing = try write("movies/a.recording.mov")
        let change = try removal().pins.keep(growing, note: "gate")
        #expect(change.file == directory.path("movies/a.mov"))
        #expect(movies == ["a.mov.keep", "a.recording.mov"])
        #expect(rename(growing, directory.path("movies/a.mov")) == 0)
        try catalogue.add(directory.path("movies/a.mov"))
        #expect(try catalogue.entry(directory.path("movies/a.mov"))?.pin?.note == "gate")
    }

    @Test func keep_fileInProgressGetsANumber_keepsOnlyThatFile() throws {
        let growing = try write("movies/a.recording.mov")
        _ = try removal().pins.keep(growing, note: "gate")
        let taken = try write("movies/a.mov")
        #expect(rename(growing, directory.path("movies/a-2.mov")) == 0)
        try catalogue.add(directory.path("movies/a-2.mov"))
        try catalogue.add(taken)
        #expect(try catalogue.entry(directory.path("movies/a-2.mov"))?.pin?.note == "gate")
        #expect(try catalogue.entry(taken)?.isKept == false)
    }

    /// It is to replace `a.mov` at its end (`--overwrite`), and cannot any more.
    @Test func keep_fileInProgressBesideAnother_keepsTheRightFile() throws {
        let old = try record("a.mov")
        let growing = try write("movies/a.recording.mov")
        _ = try removal().pins.keep(growing, note: "gate")
        #expect(throws: MediaError.self) { try removal().pins.unkeep(old) }
        #expect(rename(growing, directory.path("movies/a-2.mov")) == 0)
        #expect(RecordingPins.isKept(directory.path("movies/a-2.mov")))
        try catalogue.add(directory.path("movies/a-2.mov"))
        #expect(movies == ["a-2.mov", "a-2.mov.keep", "a.mov"])
        // The pin of the old file is never given away.
        _ = try removal().pins.keep(old)
        let error = #expect(throws: MediaError.self) {
            try removal().pins.keep(try write("movies/a.recording.mov"))
        }
        #expect(error?.code == .busy && RecordingPins.isKept(old))
    }

    @Test func keep_missingFileOrLink_isRefusedAndLeavesNothing() throws {
        let target = try write("movies/a.mov")
        #expect(symlink(target, directory.path("movies/link.mov")) == 0)
        for name in ["none.mov", "link.mov"] {
            #expect(throws: MediaError.self) { try removal().pins.keep(directory.path("movies/\(name)")) }
        }
        #expect(movies == ["a.mov", "link.mov"])
    }

    /// The sidecar cannot be written, as on a read-only disk.
    @Test func keep_sidecarCannotBeWritten_keepsInTheCatalogueAndFails() throws {
        let path = try record("a.mov")
        try FileManager.default.createDirectory(atPath: path + ".keep", withIntermediateDirectories: false)
        let error = #expect(throws: MediaError.self) { try removal().pins.keep(path, note: "gate") }
        #expect(error?.wayOut.contains("as long as the catalogue is intact") == true)
        #expect(try catalogue.entry(path)?.pin?.note == "gate")
    }

    @Test func unkeep_keptFile_mayBeDeletedAgain() throws {
        let path = try record("a.mov")
        _ = try removal().pins.keep(path)
        #expect(try removal().pins.unkeep(path).wasKept)
        #expect(movies == ["a.mov"])
        #expect(try catalogue.entry(path)?.isKept == false)
        #expect(try !removal().pins.unkeep(path).wasKept)
        try removal().delete(try removal().plan(path))
        #expect(movies.isEmpty)
    }

    @Test func delete_keptFile_needsToBeAskedFor() throws {
        let path = try record("a.mov")
        let plan = try removal().plan(path)
        _ = try removal().pins.keep(path)
        #expect(throws: MediaError.self) { try removal().plan(path) }
        // The plan is older than the pin.
        #expect(throws: MediaError.self) { try removal().delete(plan) }
        #expect(movies == ["a.mov", "a.mov.keep"])
        let wanted = try removal().plan(path, evenKept: true)
        #expect(wanted.isKept)
        try removal().delete(wanted)
        #expect(movies.isEmpty)
    }

    /// The last line of defence: the function that deletes looks for the sidecar itself.
    @Test func delete_entryFromBeforeThePin_isRefused() throws {
        let path = try record("a.mov")
        let entry = try #require(try catalogue.entry(path))
        _ = try removal().pins.keep(path)
        let error = #expect(throws: MediaError.self) { try entry.delete() }
        #expect(error?.reason == "`recorder keep` protects it" && movies == ["a.mov", "a.mov.keep"])
    }

    @Test func keep_mirroredFile_isKeptOnBothDisks() throws {
        let path = try record("a.mov")
        let copy = try write("mirror/a.mov")
        let copies = RecordingCatalogue(path: state.finishedOnMirror(front))
        try copies.add(copy, root: directory.path("mirror"))
        let pins = removal(mirror: directory.path("mirror")).pins
        #expect(try pins.keep(path, note: "gate").copy == copy)
        #expect(RecordingPins.isKept(copy))
        #expect(try copies.entry(copy)?.pin?.note == "gate")
        // From either side.
        #expect(try pins.unkeep(copy).copy == path)
        #expect(!RecordingPins.isKept(path))
        #expect(try catalogue.entry(path)?.isKept == false)
        #expect(try copies.entry(copy)?.isKept == false)
    }

    @Test func keep_mirroredFileInProgress_isKeptOnBothDisks() throws {
        let growing = try write("movies/a.recording.mov")
        try write("mirror/a.recording.mov")
        let list = StoredList<MirroredRecording>(state.mirrored(front))
        try list.add(
            MirroredRecording(
                OutputLocation(path: directory.path("movies/a.mov")),
                OutputLocation(path: directory.path("mirror/a.mov"))))
        #expect(try removal().pins.keep(growing).copy == directory.path("mirror/a.mov"))
        #expect(RecordingPins.isKept(directory.path("mirror/a.mov")))
    }

    /// No file has a path with a name of 300 bytes, so every disk reports an error for it.
    @Test func plan_mirroredFileCannotBeExamined_isRefused() throws {
        let path = try record("a.mov")
        let mirror = directory.path(String(repeating: "m", count: 300))
        let copy = FinishedRecording(
            number: 0, path: mirror + "/a.mov", identity: .init(inode: 1, size: 100, modified: 1), moment: .now(),
            root: mirror)
        try RecordingCatalogue(path: state.finishedOnMirror(front)).add([(entry: copy, directory: mirror)])
        let error = #expect(throws: MediaError.self) { try removal(mirror: mirror).plan(path) }
        #expect(error?.underlying == .errno(ENAMETOOLONG))
    }

    @Test func files_cannotBeExamined_areIncluded() throws {
        let path = directory.path("movies/" + String(repeating: "a", count: 300) + ".mov")
        let entry = FinishedRecording(
            number: 0, path: path, identity: .init(inode: 1, size: 100, modified: 1),
            moment: Moment(wall: 1060, uptime: 0, boot: ""), root: nil,
            account: .init(started: 1000, duration: 60))
        try catalogue.add([(entry: entry, directory: directory.path("movies"))])
        #expect(try removal().pins.files(of: front, in: 1050...1130) == [path])
    }

    @Test func files_timeRange_areThoseThatItTouches() throws {
        for (name, begin, end) in [("a.mov", 1000.0, 1060.0), ("b.mov", 1060, 1120), ("c.mov", 1120, 1180)] {
            let path = try write("movies/\(name)")
            try catalogue.add(
                path, .init(started: begin, duration: end - begin), at: Moment(wall: end, uptime: 0, boot: ""))
        }
        func names(_ range: ClosedRange<Double>) throws -> [String] {
            try removal().pins.files(of: front, in: range).map(\.lastComponent)
        }
        #expect(try names(1070...1080) == ["b.mov"])
        #expect(try names(1050...1130) == ["a.mov", "b.mov", "c.mov"])
        #expect(try names(0...999).isEmpty)
        #expect(try names(1181...2000).isEmpty)
        // Its times are unknown, so it counts.
        try UnfinishedRecordings(front, in: state).add(try write("movies/d.recording.mov"))
        #expect(try names(1070...1080) == ["b.mov", "d.recording.mov"])
    }
}

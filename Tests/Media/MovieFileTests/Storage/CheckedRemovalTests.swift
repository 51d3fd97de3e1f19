import Foundation
import MediaTypes
import MovieFile
import TestSupport
import Testing

@Suite struct CheckedRemovalTests {
    private let place: TemporaryDirectory
    private let directory: Int32

    init() throws {
        place = try TemporaryDirectory()
        directory = open(place.url.path, O_RDONLY | O_DIRECTORY)
        try #require(directory >= 0)
    }

    private func write(_ name: String, _ text: String) throws { try Data(text.utf8).write(to: place.file(name)) }

    private func text(_ name: String) throws -> String { try String(contentsOf: place.file(name), encoding: .utf8) }

    private func remove(_ isWanted: (CheckedRemoval.Candidate) -> Bool) throws(MediaError) -> CheckedRemoval.Outcome {
        try CheckedRemoval.remove(Array("a.mov".utf8), in: directory, place: "a.mov", isWanted: isWanted)
    }

    @Test func removal_wantedFile_leavesNothing() throws {
        try write("a.mov", "old")
        #expect(try remove { $0.isFile && $0.size == 3 } == .removed)
        #expect(place.names.isEmpty)
    }

    @Test func removal_unwantedFile_keepsIt() throws {
        try write("a.mov", "other")
        #expect(try remove { $0.size == 3 } == .another)
        #expect(place.names == ["a.mov"])
    }

    @Test func removal_noFile_isAbsent() throws { #expect(try remove { _ in true } == .absent) }

    /// Another file gets the name between the check and the deletion.
    @Test func removal_fileReplacedAfterTheCheck_keepsTheOther() throws {
        try write("a.mov", "old")
        try write("b.mov", "another")
        var looks = 0
        let outcome = try remove { facts in
            looks += 1
            let isWanted = facts.size == 3
            if looks == 1 { rename(place.path("b.mov"), place.path("a.mov")) }
            return isWanted
        }
        #expect(outcome == .another)
        #expect(looks == 2)
        #expect(place.names == ["a.mov"])
        #expect(try text("a.mov") == "another")
    }

    /// The file is renamed aside and turns out to be another one; meanwhile its name is used again.
    @Test func removal_nameTakenMeanwhile_keepsBothAndReportsWhere() throws {
        try write("a.mov", "mine")
        var looks = 0
        let error = #expect(throws: MediaError.self) {
            _ = try remove { _ in
                looks += 1
                if looks == 2 { try? write("a.mov", "new") }
                return looks == 1
            }
        }
        #expect(error?.wayOut.contains(".a.mov.deleting") == true)
        #expect(try text("a.mov") == "new")
        #expect(try text(".a.mov.deleting") == "mine")
    }

    /// A process was killed after it had renamed the file aside.
    @Test func removal_earlierOneKilled_isCompleted() throws {
        try write(".a.mov.deleting", "old")
        #expect(try remove { $0.size == 4 } == .absent)
        #expect(place.names == [".a.mov.deleting"])
        #expect(try remove { $0.size == 3 } == .removed)
        #expect(place.names.isEmpty)
    }

    @Test func removal_hiddenNameTakenByAnotherFile_keepsIt() throws {
        try write(".a.mov.deleting", "another")
        try write("a.mov", "old")
        #expect(try remove { $0.size == 3 } == .removed)
        #expect(place.names == [".a.mov.deleting"])
    }

    @Test func removal_symbolicLink_isNotAFile() throws {
        try write("b.mov", "old")
        symlink(place.path("b.mov"), place.path("a.mov"))
        #expect(try remove(\.isFile) == .another)
        #expect(place.names == ["a.mov", "b.mov"])
    }
}

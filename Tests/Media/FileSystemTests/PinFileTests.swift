import FileSystem
import Foundation
import TestSupport
import Testing

/// Sidecars that keep movies, by their existence.
@Suite struct PinFileTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var movie: String { directory.path("a.mov") }

    @Test func isThere_sidecar_isFoundByPathAndInTheDirectory() throws {
        let parent = open(directory.url.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(parent) }
        #expect(!PinFile.isThere(movie) && !PinFile.isThere("a.mov", in: parent))
        try Data().write(to: directory.file("a.mov.keep"))
        #expect(PinFile.path(of: movie) == directory.path("a.mov.keep"))
        #expect(PinFile.isThere(movie) && PinFile.isThere("a.mov", in: parent))
        #expect(!PinFile.isThere("b.mov", in: parent))
    }

    @Test func isThere_linkToNothing_counts() throws {
        #expect(symlink("/nonexistent", directory.path("a.mov.keep")) == 0)
        #expect(PinFile.isThere(movie))
    }

    /// ENOTDIR and EBADF stand for every error of a disk.
    @Test func isThere_anotherErrorThanAbsence_counts() throws {
        try Data().write(to: directory.file("file"))
        #expect(PinFile.isThere(directory.path("file/a.mov")))
        #expect(PinFile.isThere("a.mov", in: -1))
    }

    /// Otherwise retention could never delete such a movie, whose sidecar no program can write.
    @Test func isThere_nameTooLongForASidecar_isNot() throws {
        let name = String(repeating: "a", count: 251) + ".mov"
        try Data().write(to: directory.file(name))
        #expect(!PinFile.isThere(directory.path(name)))
    }
}

import FileSystem
import Glibc
import TestSupport
import Testing

@Suite struct FolderContentsTests {
    @Test func next_atTheEnd_leavesNoError() throws {
        let owner = try TemporaryDirectory()
        defer { withExtendedLifetime(owner) {} }
        let stream = try #require(opendir(owner.url.path))
        defer { closedir(stream) }
        var names: Set<String> = []
        while let entry = FolderContents.next(in: stream) { names.insert(FolderContents.name(of: entry)) }
        let code = errno
        #expect(code == 0 && names == [".", ".."])
    }

    /// The kernel fails to list a directory whose descriptor is another file's by now.
    @Test func next_directoryFails_leavesTheError() throws {
        let owner = try TemporaryDirectory()
        defer { withExtendedLifetime(owner) {} }
        let stream = try #require(opendir(owner.url.path))
        defer { closedir(stream) }
        let other = open("/dev/null", O_RDONLY | O_CLOEXEC)
        #expect(other >= 0 && dup2(other, dirfd(stream)) >= 0)
        close(other)
        let entry = FolderContents.next(in: stream)
        let code = errno
        #expect(entry == nil && code == ENOTDIR)
    }

    @Test func names_directoryMissing_isNilWithTheReason() {
        let names = FolderContents.names(in: "/nowhere/at/all")
        let code = errno
        #expect(names == nil && code == ENOENT)
    }
}

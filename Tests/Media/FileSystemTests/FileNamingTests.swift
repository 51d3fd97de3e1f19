import Foundation
import Glibc
import TestSupport
import Testing

@testable import FileSystem

/// Names of files: private ones, renames that replace nothing, and durable ones.
@Suite struct FileNamingTests {
    @Test(arguments: [("/d/a.mov", "/d", ".a.mov."), ("a.mov", "", ".a.mov."), ("/a", "/", ".a.")])
    func privateName_anyPath_isHiddenBesideIt(path: String, directory: String, start: String) {
        let name = PrivateName.beside(path, for: "new")
        #expect(name.parentDirectory == directory)
        #expect(name.lastComponent.hasPrefix("\(start)\(getpid())-"))
        #expect(name.fileExtension == "new")
        #expect(name != PrivateName.beside(path, for: "new"))
    }

    @Test func privateName_longName_fitsIntoADirectory() {
        let name = PrivateName.beside("/d/" + String(repeating: "ä", count: 127), for: "partial")
        #expect(name.parentDirectory == "/d" && name.lastComponent.utf8.count < 64)
    }

    /// FAT has neither an exclusive rename nor links; nor has a directory that rclone has mounted.
    @Test(arguments: [EPERM, EIO, EOPNOTSUPP]) func renameExclusively_noLinks_renames(number: Int32) throws {
        let owner = try TemporaryDirectory()
        func fails(_ code: Int32) -> (String, String) -> Int32 {
            return { _, _ in
                errno = code
                return -1
            }
        }
        func rename(_ name: String, _ target: String) -> Int32 {
            renameExclusively(
                owner.path(name), owner.path(target), exclusive: fails(EINVAL), link: fails(number)) == 0 ? 0 : errno
        }
        for name in ["a", "b"] { try Data(name.utf8).write(to: owner.file(name)) }
        #expect(rename("a", "c") == 0)
        #expect(owner.names == ["b", "c"])
        #expect(rename("b", "c") == EEXIST)
        #expect(FileContents.bytes(of: owner.path("c")) == Array("a".utf8) && owner.names == ["b", "c"])
    }

    @Test func renameExclusively_existingTarget_failsAndChangesNothing() throws {
        let owner = try TemporaryDirectory()
        for name in ["a", "b"] { close(open(owner.path(name), O_WRONLY | O_CREAT | O_EXCL, 0o644)) }
        let code = renameExclusively(owner.path("a"), owner.path("b")) == 0 ? 0 : errno
        #expect(code == EEXIST && owner.names == ["a", "b"])
        #expect(renameExclusively(owner.path("a"), owner.path("c")) == 0)
        #expect(owner.names == ["b", "c"])
    }

    @Test func synchronizeDirectory_missingDirectory_fails() throws {
        let owner = try TemporaryDirectory()
        #expect(synchronizeDirectory(owner.url.path) == 0 && synchronizeDirectory("") == 0)
        let code = synchronizeDirectory(owner.path("missing")) == 0 ? 0 : errno
        #expect(code == ENOENT)
    }
}

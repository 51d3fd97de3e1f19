import CommandInterface
import Foundation
import Glibc
import MediaTypes
import TestSupport
import Testing

@Suite struct AtomicFileTests {
    @Test(arguments: [false, true])
    func write_existingFile_isReplacedOnlyIfAsked(isDurable: Bool) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("a")
        try AtomicFile.write("first".utf8, to: path, overwrite: false, isDurable: isDurable)
        let error = #expect(throws: MediaError.self) {
            try AtomicFile.write("second".utf8, to: path, overwrite: false, isDurable: isDurable)
        }
        #expect(error?.code == .outputExists && directory.names == ["a"])
        #expect(try Data(contentsOf: directory.file("a")) == Data("first".utf8))
        try AtomicFile.write("third".utf8, to: path, overwrite: true, isDurable: isDurable)
        #expect(try Data(contentsOf: directory.file("a")) == Data("third".utf8))
        #expect(directory.names == ["a"])
    }

    @Test(arguments: [AtomicFile.Access.owner, .ownerOfDirectory])
    func write_privateFile_replacesOneThatOthersRead(access: AtomicFile.Access) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("a")
        try Data().write(to: directory.file("a"))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        try AtomicFile.write("secret".utf8, to: path, overwrite: true, access: access, isDurable: true)
        var (file, place) = (stat(), stat())
        let code = stat(path, &file) | stat(directory.url.path, &place)
        #expect(code == 0 && file.st_mode & 0o777 == 0o600)
        #expect(file.st_uid == place.st_uid)
    }

    @Test func check_movieToReplace_isRefused() throws {
        let directory = try TemporaryDirectory()
        try Data("\0\0\0\u{14}ftypqt  ".utf8).write(to: directory.file("a.png"))
        try Data("an image".utf8).write(to: directory.file("b.png"))
        let error = #expect(throws: MediaError.self) { try AtomicFile.check(directory.path("a.png"), overwrite: true) }
        #expect(error?.code == .outputExists)
        try AtomicFile.check(directory.path("b.png"), overwrite: true)
    }

    @Test func check_inputUnderAnyName_isRefused() throws {
        let directory = try TemporaryDirectory()
        let input = directory.path("in.mkv")
        try Data("some media".utf8).write(to: directory.file("in.mkv"))
        try FileManager.default.linkItem(atPath: input, toPath: directory.path("hard"))
        try FileManager.default.createSymbolicLink(atPath: directory.path("soft"), withDestinationPath: input)
        for name in ["in.mkv", "hard", "soft"] {
            let error = #expect(throws: MediaError.self) {
                try AtomicFile.check(directory.path(name), overwrite: true, input: input)
            }
            #expect(error?.description.contains("the input itself") == true, "\(name)")
        }
    }

    @Test func write_directoryInItsPlace_leavesNoFile() throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(at: directory.file("a"), withIntermediateDirectories: false)
        #expect(throws: MediaError.self) {
            try AtomicFile.write("text".utf8, to: directory.path("a"), overwrite: true, isDurable: true)
        }
        #expect(directory.names == ["a"])
    }
}

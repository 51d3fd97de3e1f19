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

    /// The first bytes of movies and audio in containers other than QuickTime's.
    @Test(
        arguments: [
            [0x1A, 0x45, 0xDF, 0xA3, 0x9F], [0x47, 0x40, 0x11, 0x10, 0x00], [0x00, 0x00, 0x01, 0xBA, 0x44],
            [0x00, 0x00, 0x00, 0x01, 0x67], Array("FLV".utf8) + [1, 5, 0], Array("OggS".utf8) + [0, 2],
            Array("RIFF".utf8) + [0, 4, 0, 0] + Array("AVI ".utf8), [0x06, 0x0E, 0x2B, 0x34, 2],
            [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11], [0, 0, 0, 24] + Array("stypmsdh".utf8),
            Array("ID3".utf8) + [3, 0], Array("fLaC".utf8) + [0, 0],
        ] as [[UInt8]])
    func check_movieOfAnyContainerToReplace_isRefused(head: [UInt8]) throws {
        let directory = try TemporaryDirectory()
        try Data(head).write(to: directory.file("a.mkv"))
        for overwrite in [true, false] {
            let error = #expect(throws: MediaError.self) {
                try AtomicFile.check(directory.path("a.mkv"), overwrite: overwrite)
            }
            #expect(error?.code == .outputExists && error?.wayOut == "choose another name")
        }
    }

    @Test(
        arguments: [[], [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0], [0xFF, 0xD8, 0xFF, 0xE0, 0]]
            as [[UInt8]])
    func check_imageOrEmptyFileToReplace_isAllowed(head: [UInt8]) throws {
        let directory = try TemporaryDirectory()
        try Data(head).write(to: directory.file("a.png"))
        try AtomicFile.check(directory.path("a.png"), overwrite: true)
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

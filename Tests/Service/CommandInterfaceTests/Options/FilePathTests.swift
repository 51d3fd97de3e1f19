import Foundation
import TestSupport
import Testing

@testable import CommandInterface

@Suite struct FilePathTests {
    @Test(arguments: [
        ("a.mov", "/data/a.mov"), ("./b/./a.mov", "/data/b/a.mov"), ("/x//a.mov", "/x/a.mov"), ("b/", "/data/b/"),
        (".", "/data"), ("/", "/"), ("", ""), ("%Y/%t.png", "/data/%Y/%t.png"),
        ("/nowhere/../a.mov", "/nowhere/../a.mov"),
    ])
    func absolute_anyPath_isAbsolute(text: String, path: String) {
        #expect(FilePath.absolute(text, in: "/data") == path)
    }

    /// A `..` after a link is not the textual parent.
    @Test func absolute_parentOfALink_followsTheLink() throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(at: directory.file("deep/down"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("link"), withDestinationPath: directory.path("deep/down"))
        let real = try #require(realpath(directory.url.path, nil))
        defer { free(real) }
        #expect(
            FilePath.absolute("link/../a.mov", in: directory.url.path) == String(cString: real) + "/deep/a.mov")
    }
}

import FileSystem
import Glibc
import TestSupport
import Testing

@Suite struct PathTextTests {
    @Test(arguments: [
        Array("/a/b.mov".utf8), Array("/ä€😀".utf8), [0x6C, 0x61, 0x74, 0x69, 0x6E, 0xE9], [0xFF], [0x2F, 0xE2, 0x82],
        [0x2F, 0xED, 0xA0, 0x80], [0xC3, 0x28], Array("\u{10FE80}\u{10FEFF}\u{10FE7F}\u{10FF00}".utf8),
        [0xF4, 0x8F, 0xBA, 0x80, 0x80], [],
    ])
    func text_anyBytes_leadBackToThem(bytes: [UInt8]) { #expect(PathText.bytes(PathText.text(bytes)) == bytes) }

    @Test func text_readableName_isItself() {
        #expect(PathText.text(Array("/ä/😀.mov".utf8)) == "/ä/😀.mov")
        #expect(PathText.bytes("/ä/\u{FFFD}") == Array("/ä/\u{FFFD}".utf8))
    }

    @Test func text_namesThatDifferInOneByte_differ() {
        #expect(PathText.text([0xE9]) != PathText.text([0xE8]))
        #expect(PathText.text([0xEE, 0xBA]) != PathText.text([0xEF, 0xBA]))
    }

    @Test func calls_nameThatIsNotUTF8_workOnThatFile() throws {
        let owner = try TemporaryDirectory()
        defer { withExtendedLifetime(owner) {} }
        let directory = owner.url.path
        let folder = directory + "/" + PathText.text([0x64, 0xE9])
        #expect(mkdir(folder, 0o755) == 0)
        let file = folder + "/" + PathText.text([0xFF, 0x2E, 0x6D])
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL, 0o644)
        #expect(descriptor >= 0)
        close(descriptor)
        #expect(FolderContents.names(in: folder).map { $0.map(PathText.bytes) } == [[0xFF, 0x2E, 0x6D]])
        #expect(FolderContents.files(below: directory).map(PathText.bytes) == [[0x64, 0xE9, 0x2F, 0xFF, 0x2E, 0x6D]])
        let other = folder + "/" + PathText.text([0xFE])
        #expect(renameExclusively(file, other) == 0)
        #expect(FolderContents.size(of: other) == 0 && FolderContents.size(of: file) == nil)
        FolderContents.removeAll(folder)
        #expect(FolderContents.names(in: directory) == [])
    }
}

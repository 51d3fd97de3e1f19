import FileSystem
import Testing

@Suite struct PathPartsTests {
    @Test(arguments: [
        ("", "", ""), ("/", "/", "/"), ("//", "/", "/"), ("a", "a", ""), ("a/", "a", ""), ("/a", "a", "/"),
        ("/a/", "a", "/"), ("a/b", "b", "a"), ("a/b//", "b", "a"), ("/a/b/c.mov", "c.mov", "/a/b"),
        ("//a//b//c", "c", "/a/b"), ("..", "..", ""), ("./a", "a", "."), ("/a b/ä€😀", "ä€😀", "/a b"),
    ])
    func components_anyPath_areNameAndParent(path: String, name: String, parent: String) {
        #expect(path.lastComponent == name)
        #expect(path.parentDirectory == parent)
    }

    @Test(arguments: [
        ("", "", ""), ("/", "", "/"), ("a", "", "a"), ("a/", "", "a"), ("a.", "", "a"), (".", "", "."),
        ("..", "", ".."), ("/a/..", "", "/a/.."), (".hidden", "", ".hidden"), ("/a/.hidden", "", "/a/.hidden"),
        (".hidden.mov", "mov", ".hidden"), ("a.b.mov", "mov", "a.b"), ("/a.b/c", "", "/a.b/c"),
        ("/a.b/c.mov", "mov", "/a.b/c"), ("a.mov/", "mov", "a"), ("a//b.MOV", "MOV", "a/b"), ("a.b c", "b c", "a"),
        ("a.recording.mov", "mov", "a.recording"),
    ])
    func extension_anyPath_isAfterTheLastDotOfTheName(path: String, text: String, rest: String) {
        #expect(path.fileExtension == text)
        #expect(path.removingExtension == rest)
    }

    @Test(arguments: [
        ("", "a", "a"), ("a", "", "a"), ("", "", ""), ("/", "a", "/a"), ("a", "b", "a/b"), ("a/", "b", "a/b"),
        ("/a", "b/c.mov", "/a/b/c.mov"),
    ])
    func appending_anyDirectory_hasOneSlashBetween(directory: String, component: String, path: String) {
        #expect(directory.appendingComponent(component) == path)
    }

    @Test func parts_nameThatIsNotUTF8_keepEveryByte() {
        let path = PathText.text(Array("/d".utf8) + [0xE9, 0x2F, 0xFF] + Array(".mov".utf8))
        #expect(PathText.bytes(path.parentDirectory) == Array("/d".utf8) + [0xE9])
        #expect(PathText.bytes(path.lastComponent) == [0xFF] + Array(".mov".utf8))
        #expect(PathText.bytes(path.removingExtension) == Array("/d".utf8) + [0xE9, 0x2F, 0xFF])
        #expect(path.fileExtension == "mov")
    }

    /// A combining mark makes one character of itself and the byte before it.
    @Test func parts_combiningMarkAfterASlashOrADot_areFoundByBytes() {
        let path = "/a/\u{301}b.\u{301}c"
        #expect(Array(path.lastComponent.utf8) == Array("\u{301}b.\u{301}c".utf8))
        #expect(path.parentDirectory == "/a")
        #expect(Array(path.fileExtension.utf8) == Array("\u{301}c".utf8))
        #expect(Array(path.removingExtension.utf8) == Array("/a/\u{301}b".utf8))
        #expect("a/\u{301}".parentDirectory == "a")
        #expect(Array("/a".appendingComponent("\u{301}b").utf8) == Array("/a/\u{301}b".utf8))
    }
}

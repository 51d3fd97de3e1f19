import ArchiveService
import FileSystem
import Testing

@Suite struct RawPathTests {
    @Test(arguments: [
        Array("/a/b.mov".utf8), Array("/a/100%.mov".utf8), Array("/new\nline/sp ace\t\"q\"\\.mov".utf8),
        [0x2F, 0xFF, 0xC3, 0x28, 0x25, 0x80], Array("/ä€😀".utf8), [0x2F, 0xE2, 0x82], [0x2F, 0xED, 0xA0, 0x80],
    ])
    func planText_anyBytes_roundTrips(bytes: [UInt8]) throws {
        let path = RawPath(bytes: bytes)
        #expect(RawPath(planText: path.planText) == path)
    }

    @Test func planText_percentAndInvalidUTF8_areEscaped() {
        #expect(RawPath("/a b/ä.mov").planText == "/a b/ä.mov")
        #expect(RawPath("/50%").planText == "/50%25")
        #expect(RawPath(bytes: [0x2F, 0xFF]).planText == "/%FF")
    }

    @Test(arguments: ["", "/a%", "/a%2", "/a%GG", "/a%00"]) func planText_invalidPath_isRefused(text: String) {
        #expect(RawPath(planText: text) == nil)
    }

    @Test func rawPath_splitsDirectoryAndNameAtTheLastSlash() {
        #expect(RawPath("/a/b").directory == RawPath("/a"))
        #expect(RawPath("/a").directory == RawPath("/"))
        #expect(RawPath("/").appending("a") == RawPath("/a"))
        #expect(RawPath("/a/b").name == Array("b".utf8))
    }

    @Test func argument_anyBytes_keepsThem() {
        let name = Array("/movies/".utf8) + [0xFF, 0x25]
        #expect(RawPath(argument: PathText.text(name + Array("/".utf8))).bytes == name)
        #expect(RawPath(argument: "/movies/ä b/./") == RawPath("/movies/ä b"))
        // A relative path, and a name with the character that replaces unreadable ones.
        let here = RawPath(argument: PathText.text([0xFF, 0x41]))
        #expect(here.isAbsolute && here.name == [0xFF, 0x41])
        #expect(RawPath(argument: "/x\u{FFFD}").bytes == Array("/x\u{FFFD}".utf8))
    }
}

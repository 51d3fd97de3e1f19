import ArchiveService
import Testing

@Suite struct RawPathTests {
    @Test(arguments: [
        Array("/a/b.mov".utf8), Array("/a/100%.mov".utf8), Array("/new\nline/sp ace\t\"q\"\\.mov".utf8),
        [0x2F, 0xFF, 0xC3, 0x28, 0x25, 0x80], Array("/ä€😀".utf8), [0x2F, 0xE2, 0x82], [0x2F, 0xED, 0xA0, 0x80],
    ])
    func everyNameSurvivesThePlan(bytes: [UInt8]) throws {
        let path = RawPath(bytes: bytes)
        #expect(RawPath(planText: path.planText) == path)
    }

    @Test func onlyPercentSignsAndForeignBytesAreWrittenOtherwise() {
        #expect(RawPath("/a b/ä.mov").planText == "/a b/ä.mov")
        #expect(RawPath("/50%").planText == "/50%25")
        #expect(RawPath(bytes: [0x2F, 0xFF]).planText == "/%FF")
    }

    @Test(arguments: ["", "/a%", "/a%2", "/a%GG", "/a%00"]) func whatIsNoPathIsRefused(text: String) {
        #expect(RawPath(planText: text) == nil)
    }

    @Test func directoryAndNameAreOnEitherSideOfTheLastSlash() {
        #expect(RawPath("/a/b").directory == RawPath("/a"))
        #expect(RawPath("/a").directory == RawPath("/"))
        #expect(RawPath("/").appending("a") == RawPath("/a"))
        #expect(RawPath("/a/b").name == Array("b".utf8))
    }

    @Test func whatWasTypedKeepsItsBytes() {
        let name = Array("/films/".utf8) + [0xFF, 0x25]
        let option = Array("--to=/out/".utf8) + [0xFE]
        let arguments = [Array("plan".utf8), name + Array("/".utf8), option]
        let read = { (bytes: [UInt8]) in String(decoding: bytes, as: UTF8.self) }
        #expect(RawPath(argument: read(name + Array("/".utf8)), arguments: arguments).bytes == name)
        #expect(
            RawPath(argument: read(Array("/out/".utf8) + [0xFE]), arguments: arguments).bytes
                == Array(option.dropFirst(5)))
        #expect(RawPath(argument: "/films/ä b/./", arguments: arguments) == RawPath("/films/ä b"))
        // One from here on, and one that nobody typed.
        let here = RawPath(argument: read([0xFF, 0x41]), arguments: [[0xFF, 0x41]])
        #expect(here.isAbsolute && here.name == [0xFF, 0x41])
        #expect(RawPath(argument: "/x\u{FFFD}", arguments: arguments) == RawPath("/x\u{FFFD}"))
    }
}

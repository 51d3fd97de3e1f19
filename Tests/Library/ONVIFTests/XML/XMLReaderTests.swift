import Testing

@testable import ONVIF

@Suite struct XMLReaderTests {
    private func events(_ text: String) throws -> [XMLReader.Event] {
        var reader = try XMLReader(Array(text.utf8))
        var events: [XMLReader.Event] = []
        while let event = try reader.next() { events.append(event) }
        return events
    }

    @Test func document_withPrefixesAndAttributes_givesLocalNames() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- a comment with <tags> -->
            <tt:Profiles xmlns:tt="urn:a" token = 'main' fixed="true"><tt:Name>Front</tt:Name ><e/></tt:Profiles>
            """
        #expect(
            try events(text) == [
                .start(name: "Profiles", attributes: ["token": "main", "fixed": "true"]),
                .start(name: "Name", attributes: [:]), .text("Front"), .end(name: "Name"),
                .start(name: "e", attributes: [:]), .end(name: "e"), .end(name: "Profiles"),
            ])
    }

    @Test func text_withReferencesAndSections_isDecoded() throws {
        let tree = try XMLTree.read(
            Array("<a b='&lt;&#34;'>x&amp;y &#x41;&#66;&apos;<![CDATA[<&amp;>]]>\u{E9}</a>".utf8))
        #expect(tree.text == "x&y AB'<&amp;>é")
        #expect(tree.attributes == ["b": "<\""])
    }

    @Test func document_withByteOrderMark_isRead() throws {
        #expect(try XMLTree.read([0xEF, 0xBB, 0xBF] + Array("<a>1</a>\r\n".utf8)).text == "1")
    }

    @Test(arguments: [
        "", " ", "text", "<a>", "<a", "<a>text", "<a></b>", "</a>", "<a/><b/>", "<a/>text", "<>", "< a/>", "<1/>",
        "<a b/>", "<a b=c/>", "<a b='c/>", "<a b='1'c='2'/>", "<a b='1' b='2'/>", "<a b='<'/>", "<a/ >", "<a></a b>",
        "<a>&unknown;</a>", "<a>&amp</a>", "<a>&#0;</a>", "<a>&#xD800;</a>", "<a>&#x110000;</a>", "<a>&#+65;</a>",
        "<a>&#99999999999;</a>", "<a>&;</a>", "<a>&#;</a>", "<a>\u{1}</a>", "<!-- a", "<a><![CDATA[x</a>", "<?xml",
        "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "<![CDATA[x]]><a/>",
        "<?xml version='1.0' encoding='ISO-8859-1'?><a/>", "<a>&",
    ]) func document_malformed_isRefused(_ text: String) {
        #expect(throws: XMLFailure.self) { try events(text) }
    }

    @Test func document_cutAnywhere_isRefused() {
        let text = Array("<?xml version='1.0'?><a b='c'><!-- d --><e>f&amp;<![CDATA[g]]></e><h/></a>".utf8)
        for count in 0..<text.count {
            #expect(throws: XMLFailure.self) { try XMLTree.read(Array(text[..<count])) }
        }
    }

    @Test func document_beyondALimit_isRefused() {
        let deep = String(repeating: "<a>", count: 100_000)
        #expect(throws: XMLFailure.self) { try events(deep) }
        let depth = XMLReader.mostDepth + 1
        let nested = String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        #expect(throws: XMLFailure.self) { try events(nested) }
        let wide = "<a>" + String(repeating: "<b/>", count: XMLTree.mostElements) + "</a>"
        #expect(throws: XMLFailure.self) { try XMLTree.read(Array(wide.utf8)) }
        let long = "<a>" + String(repeating: " ", count: XMLReader.mostBytes) + "</a>"
        #expect(throws: XMLFailure.self) { try events(long) }
        let names = (0...XMLReader.mostAttributes).map { " a\($0)=''" }.joined()
        #expect(throws: XMLFailure.self) { try events("<a\(names)/>") }
    }

    @Test func document_notUTF8_isRefused() {
        #expect(throws: XMLFailure.self) { try XMLTree.read([0x3C, 0x61, 0x3E, 0xFF, 0x3C, 0x2F, 0x61, 0x3E]) }
    }

    @Test func text_escaped_isReadAsItWas() throws {
        let text = "a<b>&\"'\u{E9}"
        #expect(try XMLTree.read(Array("<a b=\"\(XMLText.escaped(text))\"/>".utf8)).attributes["b"] == text)
        #expect(XMLText.escaped("a\u{0}\u{1B}b") == "ab")
    }
}

import Testing

@testable import CommandInterface

@Suite struct PlainTextTests {
    @Test func lines_controlCharacters_areReplaced() {
        #expect(PlainText.lines("a\u{1B}[2Jb\u{9B}31mc\r\u{07}\td\n\u{202E}e\u{7F}") == "a�[2Jb�31mc���d\n�e�")
        #expect(PlainText.line("one\ntwo") == "one�two")
        let text = "Größe 🎬 – العربية\nzweite Zeile"
        #expect(PlainText.lines(text) == text)
    }
}

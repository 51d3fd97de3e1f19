import Testing

@testable import MediaTypes

@Suite struct StampPatternTests {
    @Test func pattern_allFields_becomesPieces() throws {
        let pattern = try StampPattern("%{name} %Y-%m-%d %H:%M:%S.%3N %% %-d %{counter}")
        #expect(
            pattern.pieces == [
                .name, .clock(" %Y-%m-%d %H:%M:%S."), .fraction(digits: 3), .clock(" %% %-d "), .counter,
            ])
        #expect(pattern.text == "%{name} %Y-%m-%d %H:%M:%S.%3N %% %-d %{counter}")
    }

    @Test(arguments: [
        ("%%{name}", [StampPattern.Piece.clock("%%{name}")]), ("%6N%1N", [.fraction(digits: 6), .fraction(digits: 1)]),
        ("Tür ü–1", [.clock("Tür ü–1")]), ("%Ey %OH %_5d", [.clock("%Ey %OH %_5d")]),
        ("%%%3N", [.clock("%%"), .fraction(digits: 3)]),
    ])
    func pattern_anySpelling_becomesPieces(text: String, pieces: [StampPattern.Piece]) throws {
        #expect(try StampPattern(text).pieces == pieces)
    }

    @Test(arguments: [
        "", "%", "50 %", "%N", "%0N", "%7N", "%9N", "%-3N", "%{camera}", "%{name", "%{}", "%Q", "%n", "%t", "%+", "%i",
        "%123d", "%5%", "%EEy", "a\nb", "a\u{7}b", "a\u{2028}b", "%3", "%é",
    ])
    func pattern_invalidText_isRefusedWithTheRemedy(text: String) {
        let problem = #expect(throws: StampPattern.Problem.self) { try StampPattern(text) }
        #expect(problem?.reason.isEmpty == false && problem?.wayOut.hasPrefix("write") == true)
    }

    @Test func pattern_tooLong_isRefused() throws {
        #expect(try StampPattern(String(repeating: "x", count: 200)).pieces.count == 1)
        #expect(throws: StampPattern.Problem.self) { try StampPattern(String(repeating: "x", count: 201)) }
    }

    @Test(arguments: [(180, 400, 14), (1080, 400, 43), (2160, 400, 86), (48, 100, 14), (720, 1000, 72)])
    func pixels_anyHeight_areThePercentageButReadable(height: Int, size: Int, pixels: Int) {
        var stamp = FrameStamp()
        stamp.size = size
        #expect(stamp.pixels(height: height) == pixels)
    }
}

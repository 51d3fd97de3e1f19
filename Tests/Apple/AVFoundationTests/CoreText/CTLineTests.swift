import CoreText
import Foundation
import Testing

/// Tests of a line's sizes, and of texts that are unusual.
@Suite struct CTLineTests {
    @Test func typographicBounds_areThoseOfTheFont() throws {
        let line = DrawnText.line("Text")
        var (ascent, descent, leading) = (CGFloat(-1), CGFloat(-1), CGFloat(-1))
        let width = CTLineGetTypographicBounds(line, &ascent, &descent, &leading)
        #expect(width > 20 && width < 60)
        #expect(abs(Double(ascent - CTFontGetAscent(DrawnText.font))) < 0.1)
        #expect(abs(Double(descent - CTFontGetDescent(DrawnText.font))) < 0.1)
        #expect(leading == CTFontGetLeading(DrawnText.font))
        let bounds = CTLineGetBoundsWithOptions(line, [])
        #expect(bounds.minX == 0 && Double(bounds.width) == width)
        #expect(abs(Double(bounds.minY + descent + leading)) < 1e-6 && abs(Double(bounds.maxY - ascent)) < 1e-6)
        let tight = CTLineGetBoundsWithOptions(line, .excludeTypographicLeading)
        #expect(abs(Double(tight.minY + descent)) < 1e-6 && abs(Double(tight.maxY - ascent)) < 1e-6)
        let ink = CTLineGetBoundsWithOptions(line, .useGlyphPathBounds)
        #expect(ink.width > 10 && bounds.insetBy(dx: -2, dy: 0).contains(ink))
        #expect(CTLineGetImageBounds(line, nil) == ink)
        #expect(CTLineGetGlyphCount(line) == 4)
        #expect(CTLineGetStringRange(line) == CFRange(location: 0, length: 4))
    }

    @Test func width_twiceTheText_isTwiceAsLarge() throws {
        let (one, two) = (DrawnText.width(DrawnText.line("mm")), DrawnText.width(DrawnText.line("mmmm")))
        #expect(abs(two - 2 * one) < 0.05)
        let double = CTFontCreateWithName("DejaVu Sans" as CFString, 40, nil)
        #expect(abs(DrawnText.width(DrawnText.line("mm", double)) - two) < 0.05)
    }

    @Test func kern_isAddedBetweenLetters() throws {
        let plain = DrawnText.width(DrawnText.line("mmmm"))
        let spaced = DrawnText.width(DrawnText.line("mmmm", DrawnText.font, [kCTKernAttributeName as String: 5.0]))
        // Core Text also adds it after the last letter.
        #expect(spaced > plain + 14 && spaced < plain + 21)
        let strange = [kCTKernAttributeName as String: Double.nan]
        #expect(DrawnText.width(DrawnText.line("mmmm", DrawnText.font, strange)) == plain)
    }

    @Test func penOffset_centersAndFlushesRight() throws {
        let line = DrawnText.line("Text")
        let width = DrawnText.width(line)
        #expect(CTLineGetPenOffsetForFlush(line, 0, 200) == 0)
        #expect(abs(CTLineGetPenOffsetForFlush(line, 0.5, 200) - (200 - width) / 2) < 1e-9)
        #expect(abs(CTLineGetPenOffsetForFlush(line, 1, 200) - (200 - width)) < 1e-9)
        #expect(CTLineGetPenOffsetForFlush(line, 1, 1) == 0)
    }

    @Test func line_emptyText_hasNoSize() throws {
        let line = CTLineCreateWithAttributedString(NSAttributedString(string: ""))
        #expect(DrawnText.width(line) == 0 && CTLineGetGlyphCount(line) == 0)
        #expect(CTLineGetImageBounds(line, nil) == .zero)
        let drawn = try DrawnText()
        drawn.draw(line)
        #expect(drawn.ink == nil)
    }

    @Test(arguments: [
        " ", "\n", "\0", "\t", "a\0b", "a\r\nb", "\u{2028}", "\u{200B}", "\u{FEFF}", "e\u{301}", "\u{301}",
        "q\u{301}\u{302}\u{303}\u{304}\u{305}", "😀", "👨‍👩‍👧‍👦", "🇩🇪", "שלום", "سلام", "漢字", "fi ffl", "\u{F0000}",
        "\u{FFFD}", "\u{202E}abc", "🏳️‍🌈e\u{301}שa",
    ])
    func draw_unusualText_isSafe(_ text: String) throws {
        let line = DrawnText.line(text)
        #expect(DrawnText.width(line) >= 0 && DrawnText.width(line).isFinite)
        #expect(CTLineGetStringRange(line).length == text.utf16.count)
        let drawn = try DrawnText()
        drawn.draw(line)
        drawn.context.setTextDrawingMode(.stroke)
        drawn.draw(line)
    }

    @Test func line_combiningMark_hasTheWidthOfItsLetter() throws {
        let (plain, accented) = (DrawnText.line("e"), DrawnText.line("e\u{301}"))
        #expect(abs(DrawnText.width(plain) - DrawnText.width(accented)) < 0.01)
        let heights = [plain, accented].map { CTLineGetImageBounds($0, nil).height }
        #expect(heights[1] > heights[0] + 2)
    }

    @Test func draw_tenThousandCharacters_showsTheVisibleOnes() throws {
        let (one, line) = (DrawnText.line("mm"), DrawnText.line(String(repeating: "m", count: 10_000)))
        let width = DrawnText.width(line)
        #expect(abs(width - 5000 * DrawnText.width(one)) < 5)
        #expect(CTLineGetGlyphCount(line) == 10_000)
        let (start, end) = (try DrawnText(), try DrawnText())
        start.draw(line, 0, 20)
        end.draw(line, 120 - CGFloat(width), 20)
        #expect(start.bitmap.area(3) > 100)
        #expect(abs(start.bitmap.area(3) - end.bitmap.area(3)) < 0.1 * start.bitmap.area(3))
    }

    @Test func attributes_ofAnyType_areIgnored() throws {
        let strange: [String: Any] = [
            kCTFontAttributeName as String: "Helvetica", kCTForegroundColorAttributeName as String: 7,
            kCTKernAttributeName as String: "wide", kCTParagraphStyleAttributeName as String: [1, 2],
        ]
        let line = DrawnText.line("Text", DrawnText.font, strange)
        let plain = CTLineCreateWithAttributedString(NSAttributedString(string: "Text"))
        #expect(DrawnText.width(line) == DrawnText.width(plain) && DrawnText.width(line) > 0)
    }

    @Test func attributedString_byCoreFoundationsCalls_isDrawn() throws {
        let attributes = [kCTFontAttributeName: DrawnText.font] as [CFString: Any] as CFDictionary
        let made = try #require(CFAttributedStringCreate(kCFAllocatorDefault, "Text" as CFString, attributes))
        let width = DrawnText.width(DrawnText.line("Text"))
        #expect(DrawnText.width(CTLineCreateWithAttributedString(made)) == width)
        let text = try #require(CFAttributedStringCreateMutable(kCFAllocatorDefault, 0))
        CFAttributedStringReplaceString(text, CFRangeMake(0, 0), "Text" as CFString)
        #expect(CFAttributedStringGetLength(text) == 4 && CFAttributedStringGetString(text) == "Text")
        CFAttributedStringSetAttribute(text, CFRangeMake(0, 4), kCTFontAttributeName, DrawnText.font)
        CFAttributedStringSetAttribute(text, CFRangeMake(3, 4), kCTFontAttributeName, DrawnText.font)
        #expect(DrawnText.width(CTLineCreateWithAttributedString(text)) == width)
        CFAttributedStringSetAttributes(text, CFRangeMake(0, 4), NSDictionary(), true)
        #expect(DrawnText.width(CTLineCreateWithAttributedString(text)) < width)
        CFAttributedStringSetAttributes(text, CFRangeMake(0, 4), attributes, false)
        #expect(DrawnText.width(CTLineCreateWithAttributedString(text)) == width)
    }
}

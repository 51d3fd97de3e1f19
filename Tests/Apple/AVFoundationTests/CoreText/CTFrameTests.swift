import CoreText
import Foundation
import Testing

/// Tests of texts that are broken into lines.
@Suite struct CTFrameTests {
    private let text = "The quick brown fox jumps over the lazy dog"

    private func style(_ alignment: CTTextAlignment, leastHeight: CGFloat = 0) -> CTParagraphStyle {
        withUnsafeBytes(of: alignment) { alignment in
            withUnsafeBytes(of: leastHeight) { height in
                guard let first = alignment.baseAddress, let second = height.baseAddress else {
                    return CTParagraphStyleCreate(nil, 0)
                }
                return CTParagraphStyleCreate(
                    [
                        CTParagraphStyleSetting(
                            spec: .alignment, valueSize: MemoryLayout<CTTextAlignment>.size, value: first),
                        CTParagraphStyleSetting(
                            spec: .minimumLineHeight, valueSize: MemoryLayout<CGFloat>.size, value: second),
                    ], 2)
            }
        }
    }

    private func framesetter(_ text: String, _ style: CTParagraphStyle? = nil) -> CTFramesetter {
        let more: [String: Any] = style.map { [kCTParagraphStyleAttributeName as String: $0] } ?? [:]
        return CTFramesetterCreateWithAttributedString(DrawnText.string(text, DrawnText.font, more))
    }

    private func frame(_ setter: CTFramesetter, _ box: CGRect) -> CTFrame {
        CTFramesetterCreateFrame(setter, CFRangeMake(0, 0), CGPath(rect: box, transform: nil), nil)
    }

    private func lines(_ frame: CTFrame) -> [CTLine] { CTFrameGetLines(frame).compactMap { $0 as? CTLine } }

    @Test func createFrame_narrow_wrapsAtWords() throws {
        let made = frame(framesetter(text), CGRect(x: 0, y: 0, width: 120, height: 400))
        let found = lines(made)
        #expect(found.count >= 4 && found.count <= 8)
        #expect(found.allSatisfy { DrawnText.width($0) <= 120 })
        // The lines have all characters, and each begins with a word.
        var next = 0
        for line in found {
            let range = CTLineGetStringRange(line)
            #expect(range.location == next)
            next += range.length
            let words = Array(text.utf16)
            #expect(range.location == 0 || words[range.location - 1] == 32)
        }
        #expect(next == text.utf16.count)
        #expect(CTFrameGetVisibleStringRange(made) == CFRange(location: 0, length: next))
        #expect(CTFrameGetStringRange(made) == CFRange(location: 0, length: next))
        #expect(CTFrameGetPath(made).boundingBox.width == 120)
    }

    @Test func lineOrigins_areBelowEachOther() throws {
        let made = frame(framesetter(text), CGRect(x: 30, y: 50, width: 120, height: 400))
        let count = lines(made).count
        var origins = [CGPoint](repeating: .zero, count: count)
        CTFrameGetLineOrigins(made, CFRangeMake(0, 0), &origins)
        // Counted from the rectangle's own corner.
        #expect(abs(Double(origins[0].y + CTFontGetAscent(DrawnText.font)) - 400) < 0.1 && origins[0].x == 0)
        let bounds = CTLineGetBoundsWithOptions(DrawnText.line("x"), [])
        for (upper, lower) in zip(origins, origins.dropFirst()) {
            #expect(abs(Double(upper.y - lower.y - bounds.height)) < 0.1)
        }
        var last = CGPoint.zero
        CTFrameGetLineOrigins(made, CFRangeMake(count - 1, 1), &last)
        #expect(last == origins.last)
        CTFrameGetLineOrigins(made, CFRangeMake(count, 0), &last)
    }

    @Test func suggestFrameSize_isEnoughForTheFrame() throws {
        let setter = framesetter(text)
        var fit = CFRange()
        let size = CTFramesetterSuggestFrameSizeWithConstraints(
            setter, CFRangeMake(0, 0), nil, CGSize(width: 120, height: CGFloat.greatestFiniteMagnitude), &fit)
        #expect(fit.length == text.utf16.count && size.width <= 120 && size.width > 60)
        let made = frame(setter, CGRect(origin: .zero, size: size))
        #expect(CTFrameGetVisibleStringRange(made).length == text.utf16.count)
        let wide = CTFramesetterSuggestFrameSizeWithConstraints(setter, CFRangeMake(0, 0), nil, .zero, nil)
        #expect(abs(Double(wide.width) - DrawnText.width(DrawnText.line(text))) < 0.1 && wide.height < 40)
        let part = CTFramesetterSuggestFrameSizeWithConstraints(setter, CFRangeMake(4, 5), nil, .zero, &fit)
        #expect(abs(Double(part.width) - DrawnText.width(DrawnText.line("quick"))) < 0.1)
        #expect(fit == CFRange(location: 4, length: 5))
    }

    @Test func createFrame_tooLow_endsWithTheLastLineThatFits() throws {
        let made = frame(framesetter(text), CGRect(x: 0, y: 0, width: 120, height: 60))
        #expect(lines(made).count == 2)
        let seen = CTFrameGetVisibleStringRange(made).length
        #expect(seen > 10 && seen < text.utf16.count)
        #expect(CTFrameGetStringRange(made).length == text.utf16.count)
    }

    @Test(arguments: [CTTextAlignment.left, .center, .right, .natural])
    func draw_alignments_areInTheRectangle(_ alignment: CTTextAlignment) throws {
        let box = CGRect(x: 20, y: 10, width: 160, height: 70)
        let drawn = try DrawnText(200, 100)
        drawn.context.textPosition = CGPoint(x: 500, y: 500)
        CTFrameDraw(frame(framesetter("HH", style(alignment)), box), drawn.context)
        let ink = try #require(drawn.ink)
        #expect(box.insetBy(dx: -1, dy: -1).contains(ink) && ink.maxY > 60)
        switch alignment {
        case .center: #expect(abs(Double(ink.midX) - 100) <= 1.5)
        case .right: #expect(ink.maxX > 174)
        default: #expect(ink.minX < 26)
        }
        #expect(drawn.context.textPosition == CGPoint(x: 500, y: 500))
    }

    @Test func draw_justifiedText_reachesBothSides() throws {
        let box = CGRect(x: 0, y: 0, width: 150, height: 200)
        let found = lines(frame(framesetter(text, style(.justified)), box))
        try #require(found.count > 2)
        #expect(found.dropLast().allSatisfy { abs(DrawnText.width($0) - 150) < 1 })
        #expect(DrawnText.width(found[found.count - 1]) < 149)
    }

    @Test func createFrame_paragraphs_eachBeginALine() throws {
        let box = CGRect(x: 0, y: 0, width: 300, height: 300)
        for (text, lengths) in [
            ("one\n\ntwo", [4, 1, 3]), ("one\r\ntwo\n", [5, 4]), ("😀\u{2029}é", [3, 1]), ("\n", [1]), ("", []),
        ] as [(String, [Int])] {
            let made = frame(framesetter(text), box)
            #expect(lines(made).map { CTLineGetStringRange($0).length } == lengths, "\(text)")
            CTFrameDraw(made, try DrawnText().context)
        }
    }

    @Test func minimumLineHeight_movesLinesApart() throws {
        let made = frame(
            framesetter("a\nb", style(.left, leastHeight: 50)), CGRect(x: 0, y: 0, width: 100, height: 200))
        var origins = [CGPoint.zero, .zero]
        CTFrameGetLineOrigins(made, CFRangeMake(0, 2), &origins)
        #expect(abs(Double(origins[0].y - origins[1].y) - 50) < 0.01)
    }

    @Test func createFrame_strangePaths_areSafe() throws {
        let setter = framesetter(text)
        for box in [CGRect.null, .infinite, .zero, CGRect(x: 0, y: 0, width: CGFloat.nan, height: 10)] {
            let made = frame(setter, box)
            CTFrameDraw(made, try DrawnText().context)
        }
        let empty = CTFramesetterCreateFrame(setter, CFRangeMake(999, -7), CGMutablePath(), nil)
        #expect(lines(empty).isEmpty)
        let one = lines(frame(setter, CGRect(x: 0, y: 0, width: 1, height: 30)))
        #expect(one.count == 1)
    }
}

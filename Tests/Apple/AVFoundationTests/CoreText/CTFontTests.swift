import CoreText
import Foundation
import Testing

/// Tests of fonts: their names and their metrics.
@Suite struct CTFontTests {
    private func width(_ text: String, _ font: CTFont) -> Double { DrawnText.width(DrawnText.line(text, font)) }

    @Test func metrics_ofAFont_areInProportionToItsSize() throws {
        let font = CTFontCreateWithName("DejaVu Sans" as CFString, 24, nil)
        let (ascent, descent) = (Double(CTFontGetAscent(font)), Double(CTFontGetDescent(font)))
        #expect(CTFontGetSize(font) == 24)
        #expect(ascent > 18 && ascent < 30 && descent > 3 && descent < 9 && CTFontGetLeading(font) >= 0)
        let box = CTFontGetBoundingBox(font)
        #expect(box.width > 12 && abs(Double(box.minY) + descent) < 1e-6 && abs(Double(box.maxY) - ascent) < 1e-6)
        let (capital, small) = (CTFontGetCapHeight(font), CTFontGetXHeight(font))
        #expect(small > 8 && small < capital && Double(capital) < ascent)
        let double = CTFontCreateWithName("DejaVu Sans" as CFString, 48, nil)
        #expect(abs(Double(CTFontGetAscent(double)) - 2 * ascent) < 0.05)
        #expect(CTFontCopyFamilyName(font) as String == "DejaVu Sans")
        #expect(CTFontCopyFullName(font) as String == "DejaVu Sans")
    }

    @Test func createWithName_missingFamily_fallsBack() throws {
        for name in ["No Such Family", "", "-", ",", "Helvetica,Arial", "\0", "😀", ".SFNS-Bold"] {
            let font = CTFontCreateWithName(name as CFString, 20, nil)
            #expect(CTFontGetAscent(font) > 10 && width("Text", font) > 20, "\(name)")
            #expect(!(CTFontCopyFamilyName(font) as String).isEmpty)
        }
    }

    @Test func createWithName_boldAndMonospaced_areFound() throws {
        let (plain, bold) = (
            CTFontCreateWithName("DejaVuSans" as CFString, 20, nil),
            CTFontCreateWithName("DejaVuSans-Bold" as CFString, 20, nil)
        )
        #expect(CTFontCopyFamilyName(plain) as String == "DejaVu Sans")
        #expect(CTFontCopyFullName(bold) as String == "DejaVu Sans Bold")
        #expect(width("Text", bold) > width("Text", plain) + 1)
        for name in ["Menlo", "Menlo-Regular", "CourierNewPS-BoldMT", "SF Mono"] {
            let font = CTFontCreateWithName(name as CFString, 20, nil)
            #expect(abs(width("iiii", font) - width("MMMM", font)) < 0.01, "\(name)")
        }
    }

    @Test func createUIFont_types_haveTheirStyles() throws {
        let system = try #require(CTFontCreateUIFontForLanguage(.system, 20, nil))
        let bold = try #require(CTFontCreateUIFontForLanguage(.emphasizedSystem, 20, nil))
        let fixed = try #require(CTFontCreateUIFontForLanguage(.userFixedPitch, 20, nil))
        #expect(width("Text", bold) > width("Text", system))
        #expect(abs(width("iiii", fixed) - width("MMMM", fixed)) < 0.01)
        #expect(CTFontCreateUIFontForLanguage(.none, 20, nil) == nil)
        #expect(CTFontCreateUIFontForLanguage(.system, 0, nil).map { CTFontGetSize($0) } == 13)
        #expect(CTFont(.system, size: 20) == system && CTFont("Helvetica" as CFString, size: 9) != system)
    }

    @Test func createCopy_withTraits_changesThem() throws {
        let plain = CTFontCreateWithName("DejaVu Sans" as CFString, 20, nil)
        let bold = try #require(CTFontCreateCopyWithSymbolicTraits(plain, 0, nil, .traitBold, .traitBold))
        #expect(CTFontGetSize(bold) == 20 && CTFontGetSymbolicTraits(bold) == .traitBold)
        #expect(width("Text", bold) > width("Text", plain))
        let italic = try #require(
            CTFontCreateCopyWithSymbolicTraits(bold, 30, nil, .italicTrait, [.boldTrait, .italicTrait]))
        #expect(CTFontGetSize(italic) == 30 && CTFontGetSymbolicTraits(italic) == .traitItalic)
        let fixed = try #require(CTFontCreateCopyWithSymbolicTraits(plain, 0, nil, .traitMonoSpace, .traitMonoSpace))
        #expect(CTFontGetSymbolicTraits(fixed).contains(.traitMonoSpace))
    }

    @Test func createWithName_strangeSizes_areSafe() throws {
        for size in [0, -1, CGFloat.nan, .infinity] {
            #expect(CTFontGetSize(CTFontCreateWithName("Helvetica" as CFString, size, nil)) == 12)
        }
        for size in [1e-9, 0.001, 1, 10_000, 1e9] as [CGFloat] {
            let font = CTFontCreateWithName("Helvetica" as CFString, size, nil)
            #expect(width("Text", font).isFinite && width("Text", font) >= 0)
            let drawn = try DrawnText()
            drawn.draw(DrawnText.line("Text", font))
        }
    }
}

import Testing

@testable import struct CoreText.FontName

/// Tests of the names of fonts, which fontconfig knows by family and style.
@Suite struct FontNameTests {
    @Test func name_postScript_isFamilyAndStyle() {
        let bold = FontName("HelveticaNeue-CondensedBold")
        #expect(bold.families == ["HelveticaNeue", "Helvetica Neue", "sans-serif"])
        #expect(bold.weight == 700 && bold.isCondensed && !bold.isItalic)
        let times = FontName("TimesNewRomanPS-BoldItalicMT")
        #expect(times.families == ["TimesNewRoman", "Times New Roman", "serif"])
        #expect(times.weight == 700 && times.isItalic)
        #expect(FontName("ArialMT").families == ["Arial", "sans-serif"])
        #expect(FontName("Menlo-Regular").families == ["Menlo", "monospace"])
        #expect(FontName("AvenirNext-UltraLightItalic").weight == 200)
    }

    @Test func name_fullName_isFamilyAndStyle() {
        let name = FontName("Helvetica Neue Light Oblique")
        #expect(name.families == ["Helvetica Neue", "sans-serif"] && name.weight == 300 && name.isItalic)
        #expect(FontName("Times New Roman").families == ["Times New Roman", "serif"])
        #expect(FontName("Noto Sans Mono").families == ["Noto Sans Mono", "monospace"])
        #expect(FontName("Bold").families == ["Bold", "sans-serif"])
    }

    @Test func name_otherHyphen_isPartOfTheFamily() {
        #expect(FontName("Source-Han").families == ["Source-Han", "sans-serif"])
        #expect(FontName(".SFNS-Bold").families == ["sans-serif"] && FontName(".SFNS-Bold").weight == 700)
        #expect(FontName("").families == ["sans-serif"])
    }
}

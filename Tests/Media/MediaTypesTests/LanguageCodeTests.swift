import MediaTypes
import Testing

@Suite struct LanguageCodeTests {
    @Test(arguments: ["eng", "deu", "gsw", "und", "mul"])
    func language_threeLetters_isValid(code: String) { #expect(LanguageCode.isValid(code)) }

    @Test(arguments: ["", "en", "engl", "ENG", "e1g", "dé", "en-", "en\0"])
    func language_otherText_isRefused(code: String) {
        #expect(!LanguageCode.isValid(code))
        #expect(LanguageCode.refusal(of: code)?.code == .invalidSettings)
    }

    @Test func language_bibliographicCode_namesTheTerminologicalOne() {
        #expect(LanguageCode.refusal(of: "ger")?.description.contains("\"deu\"") == true)
        #expect(LanguageCode.isValid("fra") && !LanguageCode.isValid("fre"))
    }

    @Test func extendedTag_formOfBCP47_isValid() {
        for tag in ["de", "de-CH", "zh-Hant-TW", "sl-rozaj-biske-1994", "x-private"] {
            #expect(LanguageCode.isValidExtendedTag(tag))
        }
        for tag in ["", "d", "de_CH", "de-", "-de", "de--CH", "x", "de-123456789", "1de", "dé"] {
            #expect(!LanguageCode.isValidExtendedTag(tag))
        }
    }

    @Test func terminological_codeOfAFile_isConverted() {
        #expect(LanguageCode.terminological("ger") == "deu" && LanguageCode.terminological("fra") == "fra")
        for code in ["und", "", "e", "English", "DEU"] { #expect(LanguageCode.terminological(code) == nil, "\(code)") }
    }
}

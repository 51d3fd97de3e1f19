import MediaTypes
import Testing

@Suite struct LanguageCodeTests {
    @Test(arguments: ["eng", "deu", "gsw", "und", "mul"])
    func threeLettersAreALanguage(code: String) { #expect(LanguageCode.isValid(code)) }

    @Test(arguments: ["", "en", "engl", "ENG", "e1g", "dé", "en-", "en\0"])
    func anythingElseIsRefused(code: String) {
        #expect(!LanguageCode.isValid(code))
        #expect(LanguageCode.refusal(of: code)?.code == .invalidSettings)
    }

    @Test func theBibliographicCodeLeadsToTheOther() {
        #expect(LanguageCode.refusal(of: "ger")?.description.contains("\"deu\"") == true)
        #expect(LanguageCode.isValid("fra") && !LanguageCode.isValid("fre"))
    }

    @Test func extendedTagsHaveTheFormOfBCP47() {
        for tag in ["de", "de-CH", "zh-Hant-TW", "sl-rozaj-biske-1994", "x-private"] {
            #expect(LanguageCode.isValidExtendedTag(tag))
        }
        for tag in ["", "d", "de_CH", "de-", "-de", "de--CH", "x", "de-123456789", "1de", "dé"] {
            #expect(!LanguageCode.isValidExtendedTag(tag))
        }
    }

    @Test func aFilesCodeBecomesTheTerminologicalOne() {
        #expect(LanguageCode.terminological("ger") == "deu" && LanguageCode.terminological("fra") == "fra")
        for code in ["und", "", "e", "English", "DEU"] { #expect(LanguageCode.terminological(code) == nil, "\(code)") }
    }
}

import MediaTypes
import Testing

@testable import CommandInterface

@Suite struct StampTextTests {
    @Test func stamp_valid_isParsedAndShown() throws {
        let text = "%Y-%m-%d %H:%M:%S.%3N %{name}"
        #expect(try StampText.parse(text).text == text)
    }

    @Test(arguments: ["", "%{camera}", "%N", "a\nb"]) func stamp_invalid_isRefusedWithTheRemedy(text: String) {
        let error = #expect(throws: OptionError.self) { try StampText.parse(text) }
        #expect(error?.description.contains(": write ") == true)
    }

    @Test(arguments: [("4", 400, "4"), ("2.5", 250, "2.5"), ("12.25", 1225, "12.25"), ("1.05", 105, "1.05")])
    func size_valid_isParsedAndShown(text: String, size: Int, shown: String) throws {
        #expect(try StampText.parseSize(text) == size)
        #expect(StampText.text(size: size) == shown)
    }

    @Test(arguments: ["", "0", "0.99", "25.01", "4%", "-4", "4.125", "big"]) func size_invalid_isRefused(text: String) {
        #expect(throws: OptionError.self) { try StampText.parseSize(text) }
    }

    @Test func place_anyCorner_isParsed() throws {
        for place in FrameStamp.Place.allCases { #expect(try StampText.parsePlace(place.rawValue) == place) }
        let error = #expect(throws: OptionError.self) { try StampText.parsePlace("center") }
        #expect(error?.description.contains("top-left, top-right, bottom-left, bottom-right") == true)
    }

    @Test func font_familyOrAbsolutePath_isAccepted() throws {
        for text in ["DejaVu Sans Mono", "Noto Sans Mono:bold", "/usr/share/fonts/a.ttf"] {
            #expect(try StampText.parseFont(text) == text)
        }
        for text in ["", "fonts/a.ttf", "./a.ttf", "a\u{1}"] {
            #expect(throws: OptionError.self, "\(text)") { try StampText.parseFont(text) }
        }
    }
}

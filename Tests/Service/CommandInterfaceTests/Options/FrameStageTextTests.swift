import MediaTypes
import Testing

@testable import CommandInterface

@Suite struct FrameStageTextTests {
    @Test(arguments: [
        ("0,0 40,0 40,25 0,25", "0,0 40,0 40,25 0,25"), ("door=0,0 12.50,0 12.5,100", "door=0,0 12.5,0 12.5,100"),
        ("  0.0001,0   1,0 1,99.9999 ", "0.0001,0 1,0 1,99.9999"), ("a-b_1=0,0\n5,0\n5,5", "a-b_1=0,0 5,0 5,5"),
    ])
    func mask_anySpelling_isParsedAndShown(text: String, shown: String) throws {
        let mask = try MaskText.parse(text)
        #expect(MaskText.text(mask) == shown)
        #expect(try MaskText.parse(shown) == mask)
    }

    @Test(arguments: [
        "", "door=", "=0,0 1,0 1,1", "0,0 1,0", "0,0 50,50 100,100", "0,0 0,0 0,0", "0,0 101,0 1,1", "0,0 -1,0 1,1",
        "0,0 1 1,1", "0,0 1,0,0 1,1", "0,0 1.00001,0 1,1", "ä=0,0 1,0 1,1", "a b=0,0 1,0 1,1", "none", "0%,0 1,0 1,1",
        "0,0 1,0 1,nan",
    ])
    func mask_invalidText_isRefused(text: String) {
        #expect(throws: OptionError.self) { try MaskText.parse(text) }
    }

    @Test func mask_tooManyCorners_isRefused() throws {
        let corners = (0..<65).map { "\($0),\($0 * $0 % 90)" }.joined(separator: " ")
        #expect(throws: OptionError.self) { try MaskText.parse(corners) }
    }

    @Test func mask_none_removesANamedMask() throws {
        #expect(try MaskText.parse("door=none") == FrameMask(name: "door", corners: []))
    }

    @Test(arguments: [
        ("black", FrameMaskStyle.black, "black"), ("#000000", .black, "black"),
        ("#0a80FF", .color(red: 10, green: 128, blue: 255), "#0a80ff"), ("pixelate:8", .pixelate(8), "pixelate:8"),
        ("pixelate:512", .pixelate(512), "pixelate:512"),
    ])
    func maskStyle_anyForm_isParsedAndShown(text: String, style: FrameMaskStyle, shown: String) throws {
        #expect(try MaskText.parseStyle(text) == style)
        #expect(MaskText.text(style) == shown)
    }

    @Test(arguments: [
        "", "red", "#fff", "#12345g", "#+12345", "pixelate", "pixelate:", "pixelate:7", "pixelate:9", "pixelate:2",
        "pixelate:514", "pixelate:16.0", "pixelate:-8", "blur:8",
    ])
    func maskStyle_invalidText_isRefused(text: String) {
        #expect(throws: OptionError.self) { try MaskText.parseStyle(text) }
    }

    @Test func crop_valid_isParsedAndShown() throws {
        let crop = try FrameStageText.parseCrop("640x480+320+0")
        #expect(crop == .init(FrameSize(640, 480), x: 320, y: 0))
        #expect(FrameStageText.text(crop) == "640x480+320+0")
    }

    @Test(arguments: [
        "", "640x480", "640x480+0", "641x480+0+0", "640x480+1+0", "640x480+-2+0", "640x480+0+0+0", "8x8+0+0", "+0+0",
        "640x480+٢+0",
    ])
    func crop_invalidText_isRefused(text: String) {
        #expect(throws: OptionError.self) { try FrameStageText.parseCrop(text) }
    }

    @Test func geometry_invalidText_isRefused() throws {
        #expect(try FrameStageText.parseScale("640x360") == FrameSize(640, 360))
        for text in ["", "641x360", "8x8", "9000x16", "640"] {
            #expect(throws: OptionError.self, "\(text)") { try FrameStageText.parseScale(text) }
        }
        #expect(try FrameStageText.parseRotation("270") == 270)
        for text in ["", "0", "45", "-90", "90°"] {
            #expect(throws: OptionError.self, "\(text)") { try FrameStageText.parseRotation(text) }
        }
        #expect(try FrameStageText.parseFlip("vertical") == .vertical)
        #expect(throws: OptionError.self) { try FrameStageText.parseFlip("up") }
    }
}

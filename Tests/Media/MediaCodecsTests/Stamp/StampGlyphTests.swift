import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

@Suite struct StampGlyphTests {
    private static let shades = StampShades(isFullRange: false)

    private static func characters() -> [UInt32] {
        (0x21...0x7E).map { UInt32($0) } + "äß–€".unicodeScalars.map(\.value)
    }

    @Test(arguments: [14, 43, 86]) func atlas_defaultFont_hasADifferentGlyphForEachCharacter(size: Int) throws {
        var atlas = GlyphAtlas(try StampFont(nil), size: size, Self.shades)
        var seen: [[Int]: UInt32] = [:]
        for scalar in Self.characters() {
            let glyph = atlas.glyph(scalar)
            #expect(glyph.width > 0 && glyph.height > 0 && glyph.advance > 0)
            let other = seen.updateValue(scalar, forKey: [glyph.x, glyph.y, glyph.width] + glyph.light.map { Int($0) })
            #expect(other == nil, "\(scalar) looks like \(other ?? 0)")
        }
        // All glyphs of the default font have one width.
        let advances = Set(Self.characters().map { atlas.glyph($0).advance })
        #expect(advances.count == 1)
    }

    @Test func atlas_spaceAndUnknownCharacters_haveAWidth() throws {
        var atlas = GlyphAtlas(try StampFont(nil), size: 20, Self.shades)
        let space = atlas.glyph(0x20)
        #expect(space.advance > 0 && space.keep.isEmpty)
        let (unknown, width) = (atlas.glyph(0x10FFFD), atlas.width(of: [0x30, 0x20, 0x31]))
        #expect(unknown.advance > 0 && width == 3 * space.advance)
    }

    @Test func glyph_letter_isSurroundedByItsOutline() throws {
        var atlas = GlyphAtlas(try StampFont(nil), size: 40, Self.shades)
        for scalar in Self.characters() {
            let glyph = atlas.glyph(scalar)
            #expect(glyph.x.isMultiple(of: 2) && glyph.y.isMultiple(of: 2) && glyph.advance.isMultiple(of: 2))
            #expect(glyph.width.isMultiple(of: 2) && glyph.height.isMultiple(of: 2))
            #expect(glyph.keep.count == glyph.width * glyph.height)
            #expect(glyph.chromaKeep.count * 4 == glyph.keep.count)
            #expect(glyph.light.contains(235))
            let wrong = glyph.keep.indices.count { pixel in
                let (light, chroma) = (glyph.light[pixel], Self.chroma(of: pixel, glyph))
                guard glyph.keep[pixel] == 0 else { return light > 0 }
                // The four neighbors of a bright pixel belong to the glyph.
                let neighbors = [pixel - 1, pixel + 1, pixel - glyph.width, pixel + glyph.width]
                return chroma != 0 || (1..<16).contains(light)
                    || (light > 100 && neighbors.contains { glyph.keep[$0] != 0 })
            }
            #expect(wrong == 0, "\(scalar)")
        }
    }

    /// Returns the value of the chroma sample at a pixel.
    private static func chroma(of pixel: Int, _ glyph: StampGlyph) -> UInt8 {
        let (row, column) = pixel.quotientAndRemainder(dividingBy: glyph.width)
        return glyph.chromaKeep[row / 2 * (glyph.width / 2) + column / 2]
    }

    @Test func glyph_fullRange_isBlackAndWhite() throws {
        var atlas = GlyphAtlas(try StampFont(nil), size: 40, StampShades(isFullRange: true))
        let glyph = atlas.glyph(0x30)
        #expect(glyph.light.contains(255) && atlas.shades.dark == 0)
    }

    // MARK: Fonts

    @Test func font_family_isFoundByFontconfig() throws {
        let file = try FontFile("DejaVu Sans Mono")
        #expect(file.path.hasSuffix("/DejaVuSansMono.ttf"))
        #expect(try FontFile("monospace").path.hasPrefix("/"))
    }

    @Test func font_unknownFamily_isRefusedWithTheRemedy() {
        let error = #expect(throws: MediaError.self) { try StampFont("No Such Family 123") }
        #expect(error?.code == .notFound && error?.wayOut.contains("fc-list") == true)
    }

    @Test func font_missingFile_isRefused() {
        let error = #expect(throws: MediaError.self) { try StampFont("/nonexistent/font.ttf") }
        #expect(error?.code == .notFound && error?.description.contains("/nonexistent/font.ttf") == true)
    }

    @Test func font_otherFile_isRefused() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("font.ttf")
        for bytes in [[], [0x2A], [UInt8](repeating: 7, count: 5000)] {
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let error = #expect(throws: MediaError.self) { try StampFont(path) }
            #expect(error?.code == .corruptData && error?.wayOut.contains("--stamp-font") == true)
        }
    }

    @Test func font_fileByPath_isUsed() throws {
        let file = try FontFile(nil)
        let font = try StampFont(file.path)
        #expect(font.setSize(100).ascent > 70)
    }
}

import CFreeType
import MediaTypes

/// An open font that draws glyphs with FreeType. Called by one thread at a time.
///
/// The file is read once. If the file is replaced or truncated later, this has no effect.
final class StampFont {
    private let library: FontLibrary
    private let bytes: UnsafeMutableBufferPointer<UInt8>
    private let freeType: UnsafeMutableRawPointer
    private let face: UnsafeMutablePointer<cfreetype_face>

    /// Loads FreeType, finds the font and reads it. Blocks for milliseconds; a search by name may take longer.
    ///
    /// - Parameter name: an absolute path or the name of a family; nil means the default font.
    /// - Throws: an error with the package to install.
    init(_ name: String?) throws(MediaError) {
        let library = try FontLibrary.loaded()
        let file = try FontFile(name)
        let contents = try file.contents()
        var started: UnsafeMutableRawPointer?
        guard library.functions.make_library(&started) == 0, let freeType = started else {
            throw MediaError(.codecFailure, "cannot draw the stamp", reason: "FreeType cannot be started")
        }
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, contents.count))
        _ = bytes.initialize(from: contents)
        var opened: UnsafeMutablePointer<cfreetype_face>?
        let result = library.functions.open_font(freeType, bytes.baseAddress, contents.count, file.index, &opened)
        guard result == 0, let face = opened, face.pointee.face_flags & CFREETYPE_SCALABLE != 0 else {
            if let opened { _ = library.functions.close_font(opened) }
            _ = library.functions.free_library(freeType)
            bytes.deallocate()
            throw MediaError(
                .corruptData, "cannot use the font \(file.path) for the stamp",
                reason: result == 0
                    ? "its glyphs have only one size" : "FreeType does not accept it (error \(result))",
                wayOut: "choose a TrueType or OpenType font with --stamp-font")
        }
        (self.library, self.bytes, self.freeType, self.face) = (library, bytes, freeType, face)
    }

    deinit {
        _ = library.functions.close_font(face)
        _ = library.functions.free_library(freeType)
        bytes.deallocate()
    }

    /// Sets the size of all further glyphs.
    ///
    /// - Returns: the heights above and below the baseline in pixels.
    func setSize(_ pixels: Int) -> (ascent: Int, descent: Int) {
        // in range: the size is at most 25 percent of a frame's height
        guard library.functions.set_size(face, 0, UInt32(pixels)) == 0, let size = face.pointee.size else {
            return (pixels, pixels / 4)
        }
        // Units of 1/64 pixel.
        return ((size.pointee.ascender + 63) >> 6, (63 - size.pointee.descender) >> 6)
    }

    /// Draws a character. If the font lacks the character, draws the font's sign for unknown characters.
    ///
    /// - Parameters:
    ///   - ascent: the distance of the baseline from the top of the line.
    ///   - outline: the width of the outline in pixels.
    func glyph(_ scalar: UInt32, ascent: Int, outline: Int, _ shades: StampShades) -> StampGlyph {
        guard library.functions.load_character(face, UInt(scalar), CFREETYPE_RENDER) == 0,
            let slot = face.pointee.glyph
        else { return StampGlyph(advance: 0) }
        let bitmap = slot.pointee.bitmap
        // Units of 1/64 pixel.
        let advance = max(0, (slot.pointee.advance_x + 32) >> 6)
        guard let start = bitmap.buffer, bitmap.pixel_mode == CFREETYPE_GRAY, bitmap.width > 0, bitmap.rows > 0,
            bitmap.pitch >= Int32(bitmap.width)
        else { return StampGlyph(advance: advance) }
        return StampGlyph(
            coverage: start, bytesPerRow: Int(bitmap.pitch), width: Int(bitmap.width), height: Int(bitmap.rows),
            x: Int(slot.pointee.bitmap_left), y: ascent - Int(slot.pointee.bitmap_top), advance: advance,
            outline: outline, shades)
    }
}

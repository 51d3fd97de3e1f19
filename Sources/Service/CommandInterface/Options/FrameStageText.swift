package import MediaTypes

/// Parses the geometry of recorded frames. Sides and positions are even, because 4:2:0 stores chroma for pairs of
/// pixels.
package enum FrameStageText {
    package static func parseRotation(_ text: String) throws(OptionError) -> Int {
        switch text {
        case "90": return 90
        case "180": return 180
        case "270": return 270
        default: throw OptionError(text, isNot: "a rotation", write: "90, 180 or 270 (degrees clockwise)")
        }
    }

    package static func parseFlip(_ text: String) throws(OptionError) -> FrameStageSettings.Flip {
        guard let flip = FrameStageSettings.Flip(rawValue: text) else {
            throw OptionError(text, isNot: "a flip", write: "horizontal or vertical")
        }
        return flip
    }

    /// Parses the size and the upper left corner of a part, `640x480+320+120`.
    package static func parseCrop(_ text: String) throws(OptionError) -> FrameStageSettings.Crop {
        let parts = text.split(separator: "+", omittingEmptySubsequences: false)
        guard parts.count == 3, let size = FrameSize(String(parts[0])), let x = position(parts[1]),
            let y = position(parts[2])
        else { throw OptionError(text, isNot: "a part of a frame", write: "WxH+X+Y, such as 640x480+320+120") }
        guard [size.width, size.height, x, y].allSatisfy({ $0.isMultiple(of: 2) }) else {
            throw OptionError("“\(text.prefix(80))” has odd numbers: write even ones, such as 640x480+320+120")
        }
        guard size.width >= least, size.height >= least else { throw tooSmall(text) }
        return .init(size, x: x, y: y)
    }

    package static func text(_ crop: FrameStageSettings.Crop) -> String { "\(crop.size)+\(crop.x)+\(crop.y)" }

    package static func parseScale(_ text: String) throws(OptionError) -> FrameSize {
        let size = try FrameText.parseSize(text)
        guard size.width.isMultiple(of: 2), size.height.isMultiple(of: 2) else {
            throw OptionError("“\(text.prefix(80))” has odd numbers: write even ones, such as 1280x720")
        }
        guard size.width >= least, size.height >= least else { throw tooSmall(text) }
        guard size.width <= most, size.height <= most else {
            throw OptionError("“\(text.prefix(80))” is too large: write at most \(most)x\(most)")
        }
        return size
    }

    /// The smallest side that every encoder accepts, and the largest one of H.264.
    private static let (least, most) = (16, 8192)

    private static func tooSmall(_ text: String) -> OptionError {
        OptionError("“\(text.prefix(80))” is too small: write at least \(least)x\(least)")
    }

    private static func position(_ text: Substring) -> Int? {
        guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return Int(text)
    }
}

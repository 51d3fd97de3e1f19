package import MediaTypes

/// Parsers for frame sizes and frame rates: `1280x720`, `29.97`.
package enum FrameText {
    package static func parseSize(_ text: String) throws(OptionError) -> FrameSize {
        guard let size = FrameSize(text) else { throw OptionError(text, isNot: "a size", write: "1280x720") }
        return size
    }

    package static func parseFrameRate(_ text: String) throws(OptionError) -> FrameRate {
        guard let rate = FrameRate(text) else {
            throw OptionError(text, isNot: "a frame rate", write: "30, 29.97 or 30000/1001")
        }
        return rate
    }
}

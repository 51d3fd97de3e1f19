public import Capture

/// What people write about pictures: `1280x720`, `29.97`.
public enum PictureText {
    public static func parseSize(_ text: String) throws(OptionError) -> FrameSize {
        guard let size = FrameSize(text) else { throw OptionError(text, isNot: "a size", write: "1280x720") }
        return size
    }

    public static func parseFrameRate(_ text: String) throws(OptionError) -> FrameRate {
        guard let rate = FrameRate(text) else {
            throw OptionError(text, isNot: "a frame rate", write: "30, 29.97 or 30000/1001")
        }
        return rate
    }

    public static func parsePixelFormat(_ text: String) throws(OptionError) -> CameraPixelFormat {
        guard let format = CameraPixelFormat(name: text) else {
            let known = CameraPixelFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw OptionError(text, isNot: "a pixel format that this program reads", write: known)
        }
        return format
    }
}

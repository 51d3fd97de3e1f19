import AVFoundation
import MediaTypes

/// The form in which a delegate gets frames, as `videoSettings` describes it. A plain value.
struct FrameSettings: Sendable, Equatable {
    /// True if compressed frames stay compressed.
    var isNative = false
    /// The pixel format, or nil for the camera's own.
    var format: PixelFormat?
    /// True if full-range frames are converted to limited range.
    var isLimited = false
    var size: FrameSize?

    /// - Parameter settings: If nil, frames are raw, in the camera's pixel format. If empty, frames stay as the camera
    ///   delivers them.
    /// - Throws: `invalidSettings` for an unsupported pixel format, for any codec, and for an invalid size.
    init(_ settings: [String: Any]?) throws(MediaError) {
        guard let settings else { return }
        isNative = settings.isEmpty
        if settings[AVVideoCodecKey] != nil {
            throw Self.fault("\(AVVideoCodecKey) is only for writers; frames are raw or in the camera's format")
        }
        if let value = settings[kCVPixelBufferPixelFormatTypeKey] { try read(value) }
        if let width = settings[kCVPixelBufferWidthKey], let height = settings[kCVPixelBufferHeightKey] {
            guard let width = settingsNumber(width)?.integer, let height = settingsNumber(height)?.integer,
                (1...32_767).contains(width), (1...32_767).contains(height)
            else { throw Self.fault("width and height are not between 1 and 32767") }
            size = FrameSize(width, height)
        }
    }

    private mutating func read(_ value: Any) throws(MediaError) {
        let codes = ((value as? [Any]) ?? [value]).compactMap { settingsNumber($0)?.integer }
            .compactMap { OSType(exactly: $0) }
        guard let code = codes.first(where: { PixelFormat($0) != nil }) else {
            throw Self.fault(
                "unsupported pixel format \(codes.map(String.init).joined(separator: ", "))")
        }
        format = PixelFormat(code)
        isLimited = PixelFormat.isFullRange(code) == false
    }

    private static func fault(_ reason: String) -> MediaError {
        MediaError(
            .invalidSettings, "cannot set videoSettings", reason: reason,
            wayOut: "availableVideoPixelFormatTypes lists the formats")
    }
}

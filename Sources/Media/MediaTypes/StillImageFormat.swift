/// A file format for images.
public enum StillImageFormat: String, Sendable, Hashable, Codable, CaseIterable {
    /// Lossless (ISO/IEC 15948).
    case png
    /// Smaller, lossy (ITU-T T.81, in the file format of T.871).
    case jpeg

    /// Creates the format for a file name extension, in upper or lower case; nil for other formats.
    public init?(fileExtension: String) {
        switch fileExtension.lowercased() {
        case "png": self = .png
        case "jpg", "jpeg": self = .jpeg
        default: return nil
        }
    }

    /// The usual file name extension.
    public var fileExtension: String {
        switch self {
        case .png: "png"
        case .jpeg: "jpg"
        }
    }
}

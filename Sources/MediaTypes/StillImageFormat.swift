/// A file format for single pictures.
public enum StillImageFormat: String, Sendable, Hashable, Codable, CaseIterable {
    /// Without loss (ISO/IEC 15948).
    case png
    /// Smaller, with loss (ITU-T T.81, in the file format of T.871).
    case jpeg

    /// By the end of a file's name, in capitals or not; nil for those of other formats.
    public init?(fileExtension: String) {
        switch fileExtension.lowercased() {
        case "png": self = .png
        case "jpg", "jpeg": self = .jpeg
        default: return nil
        }
    }

    /// What such a file's name ends with by custom.
    public var fileExtension: String {
        switch self {
        case .png: "png"
        case .jpeg: "jpg"
        }
    }
}

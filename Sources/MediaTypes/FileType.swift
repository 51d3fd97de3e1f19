/// The container format of a movie file.
public struct FileType: RawRepresentable, Sendable, Hashable, Codable {
    /// The file name extension.
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// QuickTime movie.
    public static let mov = FileType(rawValue: "mov")
}

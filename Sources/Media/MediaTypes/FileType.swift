/// The container format of a movie file.
public struct FileType: RawRepresentable, Sendable, Hashable, Codable {
    /// The file name extension.
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// QuickTime movie: any codec, every track feature.
    public static let mov = FileType(rawValue: "mov")
    /// MPEG-4 part 14: the codecs that a standard defines for this container, such as H.264, HEVC, AAC and ALAC. No
    /// PCM, no timecode.
    public static let mp4 = FileType(rawValue: "mp4")
    /// The same as `mp4`, with the extension that Apple's programs use.
    public static let m4v = FileType(rawValue: "m4v")
    /// MPEG-4 with AAC or ALAC audio and chapters, without video.
    public static let m4a = FileType(rawValue: "m4a")

    /// True for Apple's QuickTime format, false for MPEG-4.
    public var isQuickTime: Bool { self == .mov }

    /// The types that `AssetWriter` writes.
    public static let writable: [FileType] = [.mov, .mp4, .m4v, .m4a]

    /// Creates the type for a file name extension, in upper or lower case; nil for a type that cannot be written.
    public init?(fileExtension: String) {
        let type = FileType(rawValue: fileExtension.lowercased())
        guard Self.writable.contains(type) else { return nil }
        self = type
    }
}

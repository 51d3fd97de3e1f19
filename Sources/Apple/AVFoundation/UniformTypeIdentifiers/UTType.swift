import Foundation

/// A type of data, identified by its uniform type identifier.
///
/// The only known types are those that this module reads or writes, and their supertypes.
public struct UTType: Hashable, Sendable, Codable, CustomStringConvertible {
    public let identifier: String

    /// - Returns: nil for an unknown identifier.
    public init?(_ identifier: String) {
        guard Self.known.contains(where: { $0.identifier == identifier }) else { return nil }
        self.identifier = identifier
    }

    /// - Returns: nil if no known type has this extension.
    public init?(filenameExtension: String) {
        let wanted = filenameExtension.lowercased()
        guard let entry = Self.known.first(where: { $0.extensions.contains(wanted) }) else { return nil }
        identifier = entry.identifier
    }

    /// - Returns: nil if no known type has this MIME type.
    public init?(mimeType: String) {
        let wanted = mimeType.lowercased()
        guard let entry = Self.known.first(where: { $0.mimeTypes.contains(wanted) }) else { return nil }
        identifier = entry.identifier
    }

    private init(known identifier: String) { self.identifier = identifier }

    public var description: String { identifier }
    public var preferredFilenameExtension: String? { entry?.extensions.first }
    public var preferredMIMEType: String? { entry?.mimeTypes.first }

    /// Returns true if this type is `type` or one of its subtypes.
    public func conforms(to type: UTType) -> Bool {
        self == type || (entry?.kinds.contains { UTType(known: $0).conforms(to: type) } ?? false)
    }

    private var entry: Entry? { Self.known.first { $0.identifier == identifier } }

    private struct Entry {
        var identifier: String
        /// The file name extensions, the preferred one first.
        var extensions: [String] = []
        var mimeTypes: [String] = []
        /// The identifiers of the supertypes.
        var kinds: [String] = []
    }

    private static let known: [Entry] = [
        Entry(identifier: "public.data"),
        Entry(identifier: "public.content"),
        Entry(identifier: "public.audiovisual-content", kinds: ["public.data", "public.content"]),
        Entry(identifier: "public.movie", kinds: ["public.audiovisual-content"]),
        Entry(identifier: "public.video", kinds: ["public.movie"]),
        Entry(identifier: "public.audio", kinds: ["public.audiovisual-content"]),
        Entry(identifier: "public.image", kinds: ["public.data", "public.content"]),
        Entry(
            identifier: "com.apple.quicktime-movie", extensions: ["mov", "qt"], mimeTypes: ["video/quicktime"],
            kinds: ["public.movie"]),
        Entry(
            identifier: "public.mpeg-4", extensions: ["mp4", "mpg4"], mimeTypes: ["video/mp4"], kinds: ["public.movie"]),
        Entry(
            identifier: "com.apple.m4v-video", extensions: ["m4v"], mimeTypes: ["video/x-m4v"], kinds: ["public.movie"]),
        Entry(
            identifier: "public.mpeg-4-audio", mimeTypes: ["audio/mp4"], kinds: ["public.audio"]),
        Entry(
            identifier: "com.apple.m4a-audio", extensions: ["m4a"], mimeTypes: ["audio/x-m4a"], kinds: ["public.audio"]),
        Entry(
            identifier: "com.microsoft.waveform-audio", extensions: ["wav", "wave"], mimeTypes: ["audio/vnd.wave"],
            kinds: ["public.audio"]),
        Entry(identifier: "public.mp3", extensions: ["mp3"], mimeTypes: ["audio/mpeg"], kinds: ["public.audio"]),
        Entry(
            identifier: "public.jpeg", extensions: ["jpeg", "jpg", "jpe"], mimeTypes: ["image/jpeg"],
            kinds: ["public.image"]),
        Entry(identifier: "public.png", extensions: ["png"], mimeTypes: ["image/png"], kinds: ["public.image"]),
    ]
}

extension UTType {
    public static let data = UTType(known: "public.data")
    public static let content = UTType(known: "public.content")
    public static let audiovisualContent = UTType(known: "public.audiovisual-content")
    public static let movie = UTType(known: "public.movie")
    public static let video = UTType(known: "public.video")
    public static let audio = UTType(known: "public.audio")
    public static let image = UTType(known: "public.image")
    public static let quickTimeMovie = UTType(known: "com.apple.quicktime-movie")
    public static let mpeg4Movie = UTType(known: "public.mpeg-4")
    public static let mpeg4Audio = UTType(known: "public.mpeg-4-audio")
    public static let wav = UTType(known: "com.microsoft.waveform-audio")
    public static let mp3 = UTType(known: "public.mp3")
    public static let jpeg = UTType(known: "public.jpeg")
    public static let png = UTType(known: "public.png")
}

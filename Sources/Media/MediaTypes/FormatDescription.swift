/// The format of a sample buffer or a track.
///
/// Every sample carries its format, so all copies of a value share one object in memory.
public indirect enum FormatDescription: Sendable, Hashable {
    case video(VideoFormat)
    case audio(AudioFormat)
    case timecode(TimecodeFormat)
    case text(TextFormat)
    case metadata(MetadataFormat)

    public var mediaType: MediaType {
        switch self {
        case .video: .video
        case .audio: .audio
        case .timecode: .timecode
        case .text: .text
        case .metadata: .metadata
        }
    }

    public var video: VideoFormat? {
        if case .video(let format) = self { format } else { nil }
    }

    public var audio: AudioFormat? {
        if case .audio(let format) = self { format } else { nil }
    }

    public var timecode: TimecodeFormat? {
        if case .timecode(let format) = self { format } else { nil }
    }

    public var metadata: MetadataFormat? {
        if case .metadata(let format) = self { format } else { nil }
    }
}

/// The kind of media in a track.
public enum MediaType: String, Sendable, Hashable, Codable, CaseIterable {
    case video, audio, timecode, text, metadata
}

/// The format of a text track: plain text, such as chapter titles (QTFF, "Text Media"), or subtitles and captions in
/// the form in which another file stores them.
public struct TextFormat: Sendable, Hashable {
    /// The sample description of another file; nil for plain text.
    package let stored: StoredText?

    public init() { stored = nil }

    package init(_ stored: StoredText) { self.stored = stored }

    /// Returns a sample with a title that is shown from `time` until the next title. The sample contains the title's
    /// length in two bytes, the title in UTF-8, and an `encd` atom.
    ///
    /// - Parameter text: the title; text beyond 65,535 bytes is cut at a character boundary.
    public func sample(_ text: String, at time: MediaTime, duration: MediaTime? = nil) -> SampleBuffer {
        var shown = text
        while shown.utf8.count > Int(UInt16.max) { shown.removeLast() }
        let count = UInt16(shown.utf8.count)
        // The `encd` atom marks the text as UTF-8 (QTFF, "Text Sample Data").
        let encoding: [UInt8] = [0, 0, 0, 12, 0x65, 0x6E, 0x63, 0x64, 0, 0, 1, 0]
        let bytes = [UInt8(count >> 8), UInt8(count & 0xFF)] + Array(shown.utf8) + encoding
        return SampleBuffer(
            format: .text(self), content: .data(MediaData(bytes)), presentationTime: time, duration: duration)
    }
}

public import Foundation
public import MediaTypes

/// Movies in segments, for HTTP Live Streaming (RFC 8216) and similar protocols. A header is followed by a segment
/// every few seconds. Each segment can be decoded on its own.
extension AssetWriter {
    /// Creates a writer of segments as files next to a playlist: `NAME.m3u8`, `NAME-init.mp4`, `NAME-00001.m4s` …
    ///
    /// The playlist grows with every segment, and can be played once the first segment is listed. At the end it is
    /// marked as complete. `cancelWriting` removes all files.
    ///
    /// - Throws: `cannotCreate` if the directory is missing or the path is a directory, `notPermitted` if the directory
    ///   cannot be written. Nothing is created.
    public convenience init(playlistURL: URL) throws(MediaError) {
        try OutputPath.check(playlistURL.path)
        self.init(playlistURL, .mp4, SegmentDestination(SegmentDirectory(playlistPath: playlistURL.path)))
    }

    /// Creates a writer that passes the segments to an iterator of `segments`, and writes no file.
    ///
    /// - Parameter contentType: `.mp4` or `.m4a`; other types have no segments.
    /// - Throws: `unsupported` for any other type.
    public convenience init(segmentsOf contentType: FileType = .mp4) throws(MediaError) {
        try Self.checkSegments(contentType)
        let channel = SegmentChannel()
        self.init(URL(fileURLWithPath: "/dev/null"), contentType, SegmentDestination(channel), channel: channel)
    }

    /// Creates a writer that passes the segments to a delegate, and writes no file.
    ///
    /// - Parameter delegate: called for each segment in order, on the movie's thread. It may block; the writer then
    ///   waits as it would for a slow disk. An error that it throws fails the writer.
    /// - Throws: `unsupported` for a content type other than `.mp4` and `.m4a`.
    public convenience init(
        segmentsOf contentType: FileType = .mp4, delegate: @escaping @Sendable (AssetSegment) throws -> Void
    ) throws(MediaError) {
        try Self.checkSegments(contentType)
        self.init(handingSegmentsOf: contentType, to: delegate)
    }

    /// Variant of `init(segmentsOf:delegate:)` for a type that the caller has checked.
    package convenience init(
        handingSegmentsOf contentType: FileType, to delegate: @escaping @Sendable (AssetSegment) throws -> Void
    ) {
        self.init(
            URL(fileURLWithPath: "/dev/null"), contentType, SegmentDestination(SegmentDelegation(delegate)))
    }

    private static func checkSegments(_ type: FileType) throws(MediaError) {
        guard type == .mp4 || type == .m4a else {
            throw MediaError(
                .unsupported, "cannot write segments of a .\(type.rawValue) file",
                reason: "segments are MPEG-4 (ISO/IEC 14496-12, 8.16)", wayOut: "choose .mp4")
        }
    }

    /// The segments of a writer that was created with `init(segmentsOf:)`, without a delegate. Empty for any other
    /// writer.
    ///
    /// The segments must be read. The writer keeps a few of them and then waits, even in `finishWriting`.
    public var segments: SegmentSequence {
        if let channel { return SegmentSequence(channel: channel) }
        let empty = SegmentChannel()
        empty.finish()
        return SegmentSequence(channel: empty)
    }

    /// Ends the segment that is being written, however short it is, after the samples appended until now.
    ///
    /// An encoder makes the next appended frame a keyframe. For packets, and for encoders that cannot do that on
    /// request, the segment ends before the next keyframe.
    ///
    /// - Throws: `invalidState` for a movie in one file, and outside of a session.
    public func flushSegment() throws(MediaError) { try core.flushSegment() }
}

public import Foundation
public import MediaTypes

/// Movies in segments: a header and then a piece every few seconds, each of which can be decoded on its own, for HTTP Live
/// Streaming (RFC 8216) and its kind.
extension AssetWriter {
    /// Writes the segments as files beside a playlist: `NAME.m3u8`, `NAME-init.mp4`, `NAME-00001.m4s` …
    ///
    /// The playlist grows with every segment and can be played from the first one on; at the end it says that nothing more
    /// comes. `cancelWriting` removes everything.
    ///
    /// - Throws: `cannotCreate` when the directory is missing or the path is a directory, `notPermitted` when the directory
    ///   cannot be written. Nothing is created.
    public convenience init(playlistURL: URL) throws(MediaError) {
        try OutputPath.check(playlistURL.path)
        self.init(playlistURL, .mp4, SegmentDestination(SegmentDirectory(playlistPath: playlistURL.path)))
    }

    /// Hands the segments to whoever iterates over `segments`, and writes no file.
    ///
    /// - Parameter contentType: `.mp4` or `.m4a`; segments of others do not exist.
    /// - Throws: `unsupported` for another type.
    public convenience init(segmentsOf contentType: FileType = .mp4) throws(MediaError) {
        try Self.checkSegments(contentType)
        let channel = SegmentChannel()
        self.init(URL(fileURLWithPath: "/dev/null"), contentType, SegmentDestination(channel), channel: channel)
    }

    /// Hands the segments to a delegate, and writes no file.
    ///
    /// - Parameter delegate: called for each segment in order, on the movie's thread: it may block, and the writer then waits
    ///   as it would for a slow disk. What it throws fails the writer.
    /// - Throws: `unsupported` for a content type other than `.mp4` and `.m4a`.
    public convenience init(
        segmentsOf contentType: FileType = .mp4, delegate: @escaping @Sendable (AssetSegment) throws -> Void
    ) throws(MediaError) {
        try Self.checkSegments(contentType)
        self.init(handingSegmentsOf: contentType, to: delegate)
    }

    /// As `init(segmentsOf:delegate:)`, of a type that has segments.
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

    /// The segments of a writer that was made with `init(segmentsOf:)` alone; of any other an empty sequence.
    ///
    /// Somebody must take them: the writer keeps a few and then waits, also in `finishWriting`.
    public var segments: SegmentSequence {
        if let channel { return SegmentSequence(channel: channel) }
        let empty = SegmentChannel()
        empty.finish()
        return SegmentSequence(channel: empty)
    }

    /// Ends the segment that is being written, however short it is, behind what was appended up to now.
    ///
    /// An encoder makes a key frame of the picture that is appended next. Packets, and encoders that make none when they are
    /// asked, end the segment before their next key frame.
    ///
    /// - Throws: `invalidState` for a movie in one file, and outside of a session.
    public func flushSegment() throws(MediaError) { try core.flushSegment() }
}

import MediaTypes

/// The media playlist of a movie in segments. Each segment can be decoded without the others (RFC 8216, 4). A pure
/// value that grows by a line for every segment.
struct HLSPlaylist {
    /// The maximum length of a segment, rounded to the second. Players may rely on this maximum (RFC 8216, 4.3.3.1).
    private(set) var targetDuration: Int64
    private var lines: String

    /// - Parameters:
    ///   - interval: the intended length of the segments.
    ///   - initialization: the name of the initialization segment's file, relative to the playlist.
    init(interval: MediaTime, initialization: String) {
        targetDuration = max(1, interval.ticks(in: 1, rounding: .up))
        lines = Self.map(initialization)
    }

    /// Begins a new initialization segment (RFC 8216, 4.3.2.5), with different tracks (4.3.2.3).
    mutating func begin(_ initialization: String) { lines += "#EXT-X-DISCONTINUITY\n" + Self.map(initialization) }

    private static func map(_ name: String) -> String { "#EXT-X-MAP:URI=\"\(name)\"\n" }

    mutating func append(_ name: String, duration: MediaTime) {
        // A late keyframe made the segment longer than intended.
        targetDuration = max(targetDuration, duration.ticks(in: 1))
        lines += "#EXTINF:\(Self.decimal(duration)),\n\(name)\n"
    }

    /// - Parameter isEnded: true if no more segments follow; players then show an ordinary movie instead of a live
    ///   event.
    func text(isEnded: Bool) -> String {
        """
        #EXTM3U
        #EXT-X-VERSION:7
        #EXT-X-TARGETDURATION:\(targetDuration)
        #EXT-X-MEDIA-SEQUENCE:1
        #EXT-X-PLAYLIST-TYPE:\(isEnded ? "VOD" : "EVENT")
        #EXT-X-INDEPENDENT-SEGMENTS
        \(lines)\(isEnded ? "#EXT-X-ENDLIST\n" : "")
        """
    }

    /// Formats seconds with six decimal places, independently of the locale.
    private static func decimal(_ time: MediaTime) -> String {
        let microseconds = max(0, time.ticks(in: 1_000_000))
        let fraction = String(microseconds % 1_000_000)
        return "\(microseconds / 1_000_000)." + String(repeating: "0", count: 6 - fraction.count) + fraction
    }
}

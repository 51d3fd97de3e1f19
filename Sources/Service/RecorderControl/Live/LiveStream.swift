import MediaTypes
import MovieFile

/// Creates the bytes of a live stream for one viewer: a header and fragments. If a track's format changes, for instance
/// with a new encoder, another header follows. A pure value.
struct LiveStream {
    /// An atom that players ignore, sent so that a silent stream stays open (ISO/IEC 14496-12, 8.1.2).
    static let nothing: [UInt8] = [0, 0, 0, 8, 0x66, 0x72, 0x65, 0x65]

    private let hasAudio: Bool
    private let wallClock: @Sendable (MediaTime) -> Double?
    private var layout: StreamLayout?
    /// True if no header was sent yet, or if the formats have changed since the last header.
    private var isHeaderDue = true
    /// The known formats of both tracks.
    private var formats: [MediaType: FormatDescription] = [:]
    /// The reasons for missing tracks.
    private(set) var refusals: [MediaType: MediaError] = [:]

    /// Creates a stream that begins with a header.
    ///
    /// - Parameters:
    ///   - hasAudio: True if the viewer wants audio.
    ///   - formats: The formats that are known before the first packet. With both formats, the first header describes
    ///     both tracks.
    init(
        hasAudio: Bool, formats: [FormatDescription] = [],
        wallClock: @escaping @Sendable (MediaTime) -> Double? = { _ in nil }
    ) {
        self.hasAudio = hasAudio
        self.wallClock = wallClock
        for format in formats { adopt(format) }
    }

    /// The codecs string with which a browser checks whether it can play the stream; nil before the first header.
    var codecs: String? { layout?.codecs }

    /// Returns the bytes for a packet; empty if its track is left out.
    mutating func bytes(of packet: SampleBuffer) -> [UInt8] {
        if formats[packet.format.mediaType] != packet.format { adopt(packet.format) }
        guard formats[packet.format.mediaType] == packet.format else { return [] }
        var header: [UInt8] = []
        if isHeaderDue {
            isHeaderDue = false
            let ordered = [MediaType.video, .audio].compactMap { formats[$0] }
            // The new layout counts times from the same start as the previous layout, and continues the numbering of
            // its fragments.
            var next = StreamLayout(ordered, start: layout?.start ?? packet.decodeTime ?? packet.presentationTime)
            if let layout { next.continueNumbering(after: layout) }
            header = next.header()
            layout = next
        }
        let isTold = packet.isKeyframe && (packet.format.mediaType == .video || formats[.video] == nil)
        let taken = isTold ? wallClock(packet.presentationTime) : nil
        return header + (layout?.fragment(packet, taken: taken) ?? [])
    }

    private mutating func adopt(_ format: FormatDescription) {
        let type = format.mediaType
        let before = formats[type]
        defer { isHeaderDue = isHeaderDue || formats[type] != before }
        formats[type] = nil
        guard type == .video || hasAudio else { return }
        refusals[type] = StreamLayout.refusal(of: format)
        if refusals[type] == nil { formats[type] = format }
    }
}

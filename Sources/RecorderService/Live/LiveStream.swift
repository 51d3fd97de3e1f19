import MediaTypes
import MovieFile

/// The bytes of a live stream for one watcher: a header, fragments, and another header wherever a track's format changes, as
/// behind a new encoder. A pure value.
struct LiveStream {
    /// An atom that players pass over (ISO/IEC 14496-12, 8.1.2).
    static let nothing: [UInt8] = [0, 0, 0, 8, 0x66, 0x72, 0x65, 0x65]

    private let hasSound: Bool
    private let wallClock: @Sendable (MediaTime) -> Double?
    private var layout: StreamLayout?
    /// The formats are others than those of the header before; or there was none.
    private var isHeaderDue = true
    /// Of both tracks, where they are known.
    private var formats: [MediaType: FormatDescription] = [:]
    /// Why a track is left out.
    private(set) var refusals: [MediaType: MediaError] = [:]

    /// - Parameters:
    ///   - hasSound: the watcher wants it.
    ///   - formats: those that are known before the first packet, so that the first header has both.
    init(
        hasSound: Bool, formats: [FormatDescription] = [],
        wallClock: @escaping @Sendable (MediaTime) -> Double? = { _ in nil }
    ) {
        self.hasSound = hasSound
        self.wallClock = wallClock
        for format in formats { adopt(format) }
    }

    /// What a browser is asked whether it can play; nil before the first header.
    var codecs: String? { layout?.codecs }

    /// What a packet becomes; empty for one that has no place.
    mutating func bytes(of packet: SampleBuffer) -> [UInt8] {
        if formats[packet.format.mediaType] != packet.format { adopt(packet.format) }
        guard formats[packet.format.mediaType] == packet.format else { return [] }
        var header: [UInt8] = []
        if isHeaderDue {
            isHeaderDue = false
            let ordered = [MediaType.video, .audio].compactMap { formats[$0] }
            // The stream goes on where it was.
            var next = StreamLayout(ordered, start: layout?.start ?? packet.decodeTime ?? packet.presentationTime)
            if let layout { next.goOn(after: layout) }
            header = next.header()
            layout = next
        }
        let isTold = packet.isKeyFrame && (packet.format.mediaType == .video || formats[.video] == nil)
        let taken = isTold ? wallClock(packet.presentationTime) : nil
        return header + (layout?.fragment(packet, taken: taken) ?? [])
    }

    private mutating func adopt(_ format: FormatDescription) {
        let type = format.mediaType
        let before = formats[type]
        defer { isHeaderDue = isHeaderDue || formats[type] != before }
        formats[type] = nil
        guard type == .video || hasSound else { return }
        refusals[type] = StreamLayout.refusal(of: format)
        if refusals[type] == nil { formats[type] = format }
    }
}

import MediaTypes

/// Selects the streams of a description that are received: one of video and one of audio. A pure function.
struct StreamSelection: Sendable {
    /// The selected streams: the description and the format of each.
    private(set) var streams: [(medium: MediaDescription, format: PayloadFormat)] = []
    /// The reasons why streams are not received.
    private(set) var notices: [String] = []

    init(_ session: SessionDescription, _ options: SessionOptions) {
        if options.wantsVideo { select(.video, "video", session) }
        if options.wantsAudio { select(.audio, "audio", session) }
    }

    private mutating func select(_ kind: MediaDescription.Kind, _ name: String, _ session: SessionDescription) {
        let offered = session.media.filter { $0.kind == kind && $0.direction != .inactive }
        // A stream marked as `sendonly` may be the channel to the camera's loudspeaker (ONVIF Streaming, 5.3).
        let ordered = offered.filter { $0.direction != .sendOnly } + offered.filter { $0.direction == .sendOnly }
        var reason = offered.isEmpty ? "the camera offers none" : "no format is described"
        for medium in ordered {
            for var format in medium.formats {
                if format.clockRate == 0 { format.clockRate = format.usualClockRate }
                do throws(MediaError) {
                    _ = try format.makeDepacketizer()
                    return streams.append((medium, format))
                } catch {
                    reason = error.reason
                }
            }
        }
        notices.append("no \(name): \(reason)")
    }
}

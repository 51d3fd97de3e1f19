/// Counts the frames whose packets a live encoder has not returned yet, and decides when to reopen the encoder. Only
/// for encoders with one packet per frame.
///
/// When libavcodec 5.1 passes a frame to SVT-AV1 or x265, it asks for one packet, and it never fetches two packets at
/// once. If an encoder fell behind once, because the machine was busy, it therefore holds back these frames forever. An
/// encoder returns all packets only at its end. So it is ended, and another encoder continues with a keyframe.
struct LiveBacklog {
    /// The maximum number of frames that may be held back.
    private let most: Int
    /// The number of frames from one keyframe to the next. An encoder that cannot keep up is reopened again only after
    /// this number of frames.
    private let interval: Int
    private var sent = 0
    private(set) var held = 0

    /// - Parameter rate: frames per second.
    init(rate: Double, interval: Int) {
        // With the minimum look-ahead, x265 holds back four frames.
        most = max(4, Int(clamping: (H264Encoder.liveDelay * rate).rounded(.down)))
        self.interval = interval
    }

    /// True if the encoder must be reopened: it holds back more frames than permitted, and at least `interval` frames
    /// were sent since it was opened. Checked before each frame.
    var isTooLong: Bool { held > most && sent >= interval }

    mutating func frameWasSent() {
        sent += 1
        held += 1
    }

    mutating func packetCame() { held -= 1 }

    mutating func restarted() { (sent, held) = (0, 0) }
}

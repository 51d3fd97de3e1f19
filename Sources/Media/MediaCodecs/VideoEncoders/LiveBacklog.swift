/// Tracks the packets that a live encoder with one packet per frame has not returned yet, and decides when to reopen
/// it.
///
/// libavcodec 5.1 asks SVT-AV1 and x265 for a packet only when it passes a frame, and for one packet only. If they fell
/// behind once, because the machine was busy, those frames are therefore held back forever: two packets are never
/// fetched at once. Only at its end does an encoder return everything; another one then continues with a keyframe.
struct LiveBacklog {
    /// The maximum number of frames that may be held back.
    private let most: Int
    /// Frames from one keyframe to the next: the minimum before an encoder that cannot keep up is reopened again.
    private let interval: Int
    private var sent = 0
    private(set) var held = 0

    /// - Parameter rate: frames per second.
    init(rate: Double, interval: Int) {
        // With the minimum look-ahead x265 holds four.
        most = max(4, Int(clamping: (H264Encoder.liveDelay * rate).rounded(.down)))
        self.interval = interval
    }

    /// True if the encoder must be reopened: it holds back more frames than permitted, and got at least `interval`
    /// frames since it was opened. Checked before each frame.
    var isTooLong: Bool { held > most && sent >= interval }

    mutating func frameWasSent() {
        sent += 1
        held += 1
    }

    mutating func packetCame() { held -= 1 }

    mutating func restarted() { (sent, held) = (0, 0) }
}

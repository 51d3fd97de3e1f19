import Capture
import Glibc
import MediaTypes
import RTSP
import RealTime

/// The thread of a network camera: waits for its sockets, lets `RTSPSession` and `CameraReception` decide, and delivers
/// samples.
///
/// Created and used by that thread alone. The thread waits only in poll(2), so that it ends at once when it is stopped.
/// All other calls return at once.
final class CameraConnection {
    let setup: NetworkCameraSetup
    let link: NetworkLink
    let resolver: NameResolver
    let opening: CameraOpening
    let clock = MonotonicClock()
    var session: RTSPSession
    var socket: (any CameraStream)?
    var datagrams: CameraDatagrams
    var samples: SampleDelivery
    var reception: CameraReception?
    var streams: [SessionStream] = []

    var isOver = false
    var error: MediaError?
    var isStopped = false
    var isOpen = false
    /// True while audio is expected from the camera but none has arrived.
    var awaitsAudio = false
    /// The time of the response to PLAY; nil before it.
    var playedAt: Int64?
    /// True if video was delivered or counted as lost since the last turn of the loop. `lastVideo` is the time of the
    /// last turn that found such video.
    var hasNewVideo = false
    private var lastVideo: Int64?
    var nextReport: Int64 = .max
    /// The arrival of the packets of the latest read, in nanoseconds of the monotonic clock.
    var arrival: Int64 = 0
    /// The wall clock in seconds since 1970, read each time that the thread wakes up. Only dates are compared with it.
    var wall: Int64 = 0
    private var nextFigures: Int64 = 0
    var notices: Set<String> = []

    // Reused, so that waiting and reading allocate nothing.
    private var waits: [pollfd]
    /// A datagram has less than 64 KiB.
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    var output: [ReceptionOutput] = []
    var delivering: [ReceptionOutput] = []

    /// The interval of receiver reports (RFC 3550, 6.2).
    static let reportInterval: Int64 = 5_000_000_000
    /// The interval at which the account of packets is published, in nanoseconds.
    private static let figuresInterval: Int64 = 250_000_000
    /// The maximum wait for the first audio after PLAY. After that, the camera is opened without audio
    /// (`AwaitedAudio`).
    static let audioPatience: Int64 = 2_000_000_000
    /// The maximum wait for the response to the last TEARDOWN.
    static let goodbyePatience: Int64 = 200_000_000
    /// The number of packets that are read before the other sockets are checked.
    static let mostReads = 64
    static let mostNotices = 64

    init(_ setup: NetworkCameraSetup, _ credentials: Credentials?, link: NetworkLink, resolver: NameResolver) {
        self.setup = setup
        self.link = link
        self.resolver = resolver
        opening = CameraOpening(setup, link: link, resolver: resolver)
        samples = SampleDelivery(link)
        let datagrams = CameraDatagrams(setup)
        self.datagrams = datagrams
        var options = SessionOptions()
        options.transport = setup.transport
        options.wantsAudio = setup.wantsAudio
        options.silenceTimeout = setup.silenceTimeout
        waits = [pollfd](
            repeating: pollfd(fd: -1, events: Int16(POLLIN), revents: 0), count: 3 + 2 * datagrams.pairs.count)
        options.clientPorts = datagrams.pairs.map(\.port)
        session = RTSPSession(
            setup.url, credentials: credentials, options: options, random: UInt64.random(in: 0...UInt64.max))
    }

    /// Receives until the camera is lost or the link is stopped, and reports the end.
    func run() {
        perform(session.start())
        while !isOver {
            wait()
            guard !isStopped else { break }
            work()
        }
        if isStopped { sayGoodbye() }
        socket = nil
        publishFigures()
        setup.totals.endConnection()
        if let losses = reception?.losses { note("lost on the way: \(losses)") }
        let failure = isStopped ? nil : error ?? lost("it ended the session")
        link.ended(failure)
        guard let failure else { return }
        link.video.deliver(.gone(failure))
        link.audio.deliver(.gone(failure))
    }

    /// Waits for a socket, for the link or for the next deadline, and reads what arrived.
    private func wait() {
        // poll(2) ignores descriptors below 0.
        waits[0].fd = link.stopSignal.fileDescriptor
        waits[1].fd = link.startSignal.fileDescriptor
        waits[2].fd = socket?.descriptor ?? -1
        waits[2].events = Int16(POLLIN) | (socket?.hasUnsent == true ? Int16(POLLOUT) : 0)
        for (index, pair) in datagrams.pairs.enumerated() {
            waits[3 + 2 * index].fd = datagrams.isUsed ? pair.packets : -1
            waits[4 + 2 * index].fd = datagrams.isUsed ? pair.control : -1
        }
        // TLS may have decrypted more than was read so far.
        let hasUnread = socket?.hasUnread == true
        let limit = hasUnread ? 0 : deadline.map { PollTimeout.milliseconds(until: $0, now: clock.nanoseconds) } ?? -1
        let count = nfds_t(waits.count)
        let ready = poll(&waits, count, limit)
        if waits[0].revents != 0 { isStopped = true }
        guard ready > 0 || hasUnread, !isStopped else { return }
        wall = Int64(time(nil))
        if waits[1].revents != 0 {
            link.startSignal.clear()
            samples.release()
        }
        let stream = waits[2].revents
        if stream & Int16(POLLOUT) != 0 { flush() }
        if stream & ~Int16(POLLOUT) != 0 || hasUnread { readStream() }
        for index in datagrams.pairs.indices where datagrams.isUsed {
            if waits[4 + 2 * index].revents != 0 { readDatagrams(of: index, isControl: true) }
            if waits[3 + 2 * index].revents != 0 { readDatagrams(of: index, isControl: false) }
        }
    }

    private var deadline: Int64? {
        var earliest = nextReport
        if let deadline = session.deadline { earliest = min(earliest, deadline) }
        if let deadline = reception?.deadline { earliest = min(earliest, deadline) }
        if let playedAt, !isOpen {
            earliest = min(earliest, playedAt + setup.keyframeTimeout)
            if samples.hasVideo { earliest = min(earliest, playedAt + Self.audioPatience) }
        }
        if isOpen, let lastVideo { earliest = min(earliest, lastVideo + unusablePatience) }
        return earliest == .max ? nil : earliest
    }

    /// Handles the deadlines that have passed.
    private func work() {
        let now = clock.nanoseconds
        if let deadline = session.deadline, now >= deadline { perform(session.tick(at: now)) }
        guard !isOver else { return }
        if let deadline = reception?.deadline, now >= deadline {
            reception?.poll(now: now)
            deliver()
        }
        if now >= nextReport {
            nextReport = now + Self.reportInterval
            sendReports(now)
        }
        if now >= nextFigures {
            nextFigures = now + Self.figuresInterval
            publishFigures()
        }
        announce(now)
        announceAudio()
        if hasNewVideo { (lastVideo, hasNewVideo) = (now, false) }
        if isOpen, !isOver, let lastVideo, now >= lastVideo + unusablePatience { fail(unusable) }
        if let playedAt, !isOpen, !isOver, now >= playedAt + setup.keyframeTimeout { fail(silence) }
    }

    /// The maximum time in which packets arrive but no frame can be made of them. It is longer than the timeout for a
    /// camera that sends nothing, so that `RTSPSession` reports such a camera first.
    private var unusablePatience: Int64 { 2 * setup.silenceTimeout }

    private var unusable: MediaError {
        let seconds = unusablePatience / 1_000_000_000
        return lost("no frame could be made of its packets for \(seconds) s; it may have another codec")
    }

    private var silence: MediaError {
        let problem = reception?.problem(of: .video)
        return MediaError(
            problem == nil ? .deviceLost : .unsupported, "cannot receive \(setup.url.label)",
            reason: problem.map { "it sends \($0)" }
                ?? "no keyframe came within \(setup.keyframeTimeout / 1_000_000_000) s",
            wayOut: problem == nil
                ? "set the camera's keyframe interval (I-frame interval, GOV) to 2 s"
                : "set the camera to H.264, H.265 or MJPEG")
    }
}

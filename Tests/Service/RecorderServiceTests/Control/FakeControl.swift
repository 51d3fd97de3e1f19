import MediaTypes
import RealTime

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// A recording that obeys each command at once and remembers it.
final class FakeControl: RecordingControl {
    struct State: Sendable {
        var status = RecordingStatus(name: "front", state: .recording)
        var told: [String] = []
        var error: MediaError?
        var levelsAsked = 0
        var frame = [UInt8]("an image".utf8)
        /// The formats that viewers receive.
        var formats: [FormatDescription] = []
    }

    let state: Locked<State>
    let feed = LiveFeed()
    let smallFeed = LiveFeed()
    /// Set when `split` may return.
    let splitMayEnd = Once<Void>()

    init(_ status: RecordingStatus = .live, splitWaits: Bool = false) {
        var state = State()
        state.status = status
        self.state = Locked(state)
        if !splitWaits { splitMayEnd.set(()) }
    }

    var told: [String] { state.withLock { $0.told } }
    var status: RecordingStatus { state.withLock { $0.status } }
    var metrics: RecorderMetrics { RecorderMetrics(status) }
    var levels: RecordingLevels {
        state.withLock { state in
            state.levelsAsked += 1
            return RecordingLevels(state.status)
        }
    }

    func record(at moment: MediaTime?) async throws(MediaError) -> RecordingStatus { try tell("record", .recording) }
    func stop(disarms: Bool, at moment: MediaTime?) async throws(MediaError) -> RecordingStatus {
        try tell(disarms ? "stop and disarm" : "stop", .stopping)
    }
    func pause(at moment: MediaTime?) throws(MediaError) -> RecordingStatus { try tell("pause", .paused) }
    func resume(at moment: MediaTime?) throws(MediaError) -> RecordingStatus { try tell("resume", .recording) }
    func split() async throws(MediaError) -> RecordingStatus.Segment {
        _ = try tell("split")
        await splitMayEnd.value()
        return RecordingStatus.Segment(file: "/videos/front.mov", started: status.started, duration: 2, bytes: 3)
    }
    func save(last duration: MediaTime?, to path: String?) async throws(MediaError) -> RecordingStatus.Segment {
        _ = try tell("save \(duration.map { "\($0.seconds)" } ?? "all") to \(path ?? "its place")")
        return RecordingStatus.Segment(file: path ?? "/videos/saved.mov")
    }
    func memberPath(_ path: String) throws(MediaError) -> String {
        guard path.hasPrefix("/videos/") else {
            throw MediaError(.notPermitted, "cannot save to \(path)", reason: "no")
        }
        return path
    }
    func mark(_ title: String, at moment: MediaTime?) throws(MediaError) {
        _ = try tell("mark \(title)" + (moment.map { " at \($0.seconds)" } ?? ""))
    }
    func snapshot(_ format: StillImageFormat) async throws(MediaError) -> MediaData {
        _ = try tell("snapshot \(format.rawValue)")
        return MediaData(state.withLock { $0.frame })
    }
    /// Passes on the packets that a test adds to `feed`.
    func watch(limit: Int) throws(MediaError) -> (watch: LiveWatch, formats: [FormatDescription]) {
        _ = try tell("watch")
        let formats = state.withLock { $0.formats }
        let watcher = LiveWatcher(limit: limit, hasVideo: formats.contains { $0.mediaType == .video })
        feed.add(watcher)
        return (LiveWatch(watcher, of: feed), formats)
    }
    /// Passes on the packets that a test adds to `smallFeed`.
    func watchSubstream(limit: Int) throws(MediaError) -> (watch: LiveWatch, formats: [FormatDescription]) {
        _ = try tell("watch small")
        let watcher = LiveWatcher(limit: limit, hasVideo: true)
        smallFeed.add(watcher)
        return (LiveWatch(watcher, of: smallFeed), [])
    }
    func reload() async throws(MediaError) -> [String] {
        _ = try tell("reload")
        return ["crf is 20"]
    }

    private func tell(
        _ word: String, _ next: RecordingStatus.State? = nil
    ) throws(MediaError) -> RecordingStatus {
        try state.withLock { state throws(MediaError) in
            if let error = state.error { throw error }
            state.told.append(word)
            if let next { state.status.state = next }
            return state.status
        }
    }
}

extension RecordingStatus {
    /// A status in which every value is known.
    static var live: RecordingStatus {
        var status = RecordingStatus(name: "front", state: .recording)
        status.file = "/videos/front.mov"
        status.started = "2026-11-21T14:03:22+01:00"
        status.duration = 62.5
        status.bytes = 2_100_000
        status.segments = [
            Segment(file: "/videos/front.mov", started: status.started, duration: 62.5, bytes: 2_100_000)
        ]
        var frames = Ledger()
        (frames.captured, frames.written) = (1875, 1870)
        var video = Video(frames)
        (video.frameRate, video.queueDepth, video.width, video.height) = (29.97, 1, 1280, 720)
        video.present = true
        video.effort = Effort(step: 0, steps: 4, summary: "full effort")
        status.video = video
        var audioFrames = Ledger()
        (audioFrames.captured, audioFrames.written) = (3_000_000, 3_000_000)
        var audio = Audio(audioFrames)
        (audio.gaps, audio.gapSamples, audio.xruns) = (0, 0, 0)
        (audio.levelPeak, audio.levelRMS, audio.driftPPM) = (-6, -20.5, -12)
        (audio.sampleRate, audio.channels, audio.present) = (48_000, 2, true)
        status.audio = audio
        status.network = Network(
            video: .init(packets: 9_997, lost: 3, late: 2, duplicates: 1, driftPPM: 12.5), audio: nil, clockNotices: 4)
        status.syncOffset = 0.0004
        status.disk = Disk(free: 5_000_000_000, writeRate: 560_000.5)
        status.preRoll = PreRoll(duration: 9.8, bytes: 7_100_000)
        status.substream = Substream(width: 320, height: 180, frameRate: 5, viewers: 1, dropped: 2)
        status.kept = KeptAccount(files: 2, bytes: 200, warning: "little room")
        status.marks = 2
        return status
    }
}

import MediaTypes

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Packets as encoders emit them: a frame every 40 ms, a keyframe every `group` frames, audio packets of 1024 audio
/// frames at 48 kHz.
struct RouterBench {
    static let videoFormat = FormatDescription.video(VideoFormat(codec: .h264, width: 64, height: 32))
    static let audioFormat = FormatDescription.audio(AudioFormat(codec: .aac, sampleRate: 48_000, channelCount: 1))
    static let audioLength = MediaTime(value: 1024, timescale: 48_000)

    var router: PacketRouter
    private(set) var actions: [RouterAction] = []
    private(set) var frames = 0
    private(set) var blocks = 0
    private let accounts = TrackAccounts()
    private var parts: [Int: FileAccounts] = [:]
    private var opened: [Int: RecordingFileOpening] = [:]
    /// The number of packets that were sent to a file without a track of their format.
    private(set) var misplaced = 0
    /// The formats of the next packets.
    var frameFormat = RouterBench.videoFormat
    var blockFormat = RouterBench.audioFormat
    var group = 25
    /// The durations of frames; nil for packets without one.
    var frameDuration: MediaTime? = MediaTime(value: 40, timescale: 1000)
    var backlog: Int64 = 0

    init(preRoll: MediaTime? = nil, video: Bool = true, audio: Bool = true, backlogLimit: Int64 = 1000) {
        router = PacketRouter(preRoll: preRoll, backlogLimit: backlogLimit)
        if video { change { $0.trackBegan(.video, format: Self.videoFormat, into: &$1) } }
        if audio { change { $0.trackBegan(.audio, format: Self.audioFormat, into: &$1) } }
    }

    mutating func change(_ body: (inout PacketRouter, inout [RouterAction]) -> Void) {
        let known = actions.count
        body(&router, &actions)
        for action in actions[known...] { record(action) }
    }

    /// Counts frames as the dispatcher and its files do: a file ignores packets of a format that it lacks.
    private mutating func record(_ action: RouterAction) {
        switch action {
        case .open(let opening):
            parts[opening.number] = accounts.begin(opening.number)
            opened[opening.number] = opening
        case .append(let segment, let packet):
            if opened[segment]?.stores(packet) == true {
                parts[segment]?[packet.format.mediaType].enter(packet)
            } else {
                misplaced += 1
            }
        case .loss(let segment, let type, let count, let cause): accounts[type].lose(count, cause, in: segment)
        case .assignLosses(let segment, let type): accounts[type].assignLosses(to: segment)
        case .continueVideo, .chapter, .close, .requestKeyframe, .ended: break
        }
    }

    /// Routes the next video frame.
    mutating func frame(isKey: Bool? = nil) {
        let time = MediaTime(value: Int64(frames * 40), timescale: 1000)
        let sample = SampleBuffer(
            format: frameFormat, content: .data(MediaData([UInt8](repeating: 0, count: 10))),
            presentationTime: time, duration: frameDuration,
            isKeyframe: isKey ?? (frames % group == 0)
        ).accounting(for: 1)
        frames += 1
        let backlog = backlog
        change { $0.accept(sample, backlog: backlog, into: &$1) }
    }

    /// Routes the next frame as one without a packet, because it repeats the one before.
    mutating func repeatFrame() {
        let time = MediaTime(value: Int64(frames * 40), timescale: 1000)
        frames += 1
        change { $0.continueVideo(at: time, into: &$1) }
    }

    /// Routes the next audio packet.
    mutating func routeAudio() {
        let sample = SampleBuffer(
            format: blockFormat, content: .data(MediaData([1, 2, 3])),
            presentationTime: MediaTime(value: Int64(blocks) * 1024, timescale: 48_000), duration: Self.audioLength,
            sampleCount: 1024
        ).accounting(for: 1024)
        blocks += 1
        change { $0.accept(sample, backlog: 0, into: &$1) }
    }

    /// Routes frames and audio up to a time, with audio some packets ahead.
    mutating func run(milliseconds end: Int, video: Bool = true, audio: Bool = true) {
        while true {
            let audioTime = blocks * 1024 * 1000 / 48_000
            let hasVideo = video && frames * 40 < end
            let hasAudio = audio && audioTime < end
            if hasAudio, !hasVideo || audioTime < frames * 40 + 100 {
                routeAudio()
            } else if hasVideo {
                frame()
            } else {
                return
            }
        }
    }

    /// Skips the frames that a disconnected camera would have delivered.
    mutating func skipFrames(to milliseconds: Int) { frames = milliseconds / 40 }

    /// Skips the audio that a disconnected microphone would have delivered.
    mutating func skipAudio(to milliseconds: Int) { blocks = milliseconds * 48 / 1024 }

    var openings: [RecordingFileOpening] {
        actions.compactMap { if case .open(let opening) = $0 { opening } else { nil } }
    }
    var ends: [Int: MediaTime] {
        actions.reduce(into: [:]) { if case .close(let segment, let end) = $1 { $0[segment] = end } }
    }
    var hasEnded: Bool { actions.contains { if case .ended = $0 { true } else { false } } }

    func packets(_ type: MediaType, in segment: Int? = nil) -> [SampleBuffer] {
        actions.compactMap { action in
            guard case .append(let number, let packet) = action, packet.format.mediaType == type,
                segment.map({ $0 == number }) ?? true
            else { return nil }
            return packet
        }
    }

    /// The times of the frames in a file, in milliseconds.
    func times(_ segment: Int) -> [Int64] { packets(.video, in: segment).map { $0.presentationTime.ticks(in: 1000) } }

    func count(_ type: MediaType, in segment: Int? = nil) -> Int64 {
        packets(type, in: segment).reduce(0) { $0 + $1.ledgerCount }
    }

    /// The drops of a track in all files, and after the end those in no file; or the drops in one file.
    func losses(_ type: MediaType, in segment: Int? = nil) -> [DropCause: Int64] {
        var sum = Ledger()
        if segment == nil, hasEnded { sum = accounts[type].unassigned }
        for (number, part) in parts where segment == nil || number == segment { sum = sum + part[type].ledger }
        return DropCause.allCases.reduce(into: [:]) { losses, cause in
            if sum[dropped: cause] > 0 { losses[cause] = sum[dropped: cause] }
        }
    }

    /// All frames of a track that the recording has counted.
    func counted(_ type: MediaType) -> Int64 { accounts[type].ledger.captured }
}

extension RecordingFileOpening {
    /// Returns true if the file has a track of the packet's format.
    func stores(_ packet: SampleBuffer) -> Bool {
        (packet.format.mediaType == .video ? video : audio) == packet.format
    }
}

import MediaTypes
import Testing

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
    var group = 25
    var backlog: Int64 = 0

    init(preRoll: MediaTime? = nil, video: Bool = true, audio: Bool = true, backlogLimit: Int64 = 1000) {
        router = PacketRouter(preRoll: preRoll, backlogLimit: backlogLimit)
        if video { change { $0.trackBegan(.video, format: Self.videoFormat, into: &$1) } }
        if audio { change { $0.trackBegan(.audio, format: Self.audioFormat, into: &$1) } }
    }

    mutating func change(_ body: (inout PacketRouter, inout [RouterAction]) -> Void) { body(&router, &actions) }

    /// Routes the next video frame.
    mutating func frame(isKey: Bool? = nil) {
        let time = MediaTime(value: Int64(frames * 40), timescale: 1000)
        let sample = SampleBuffer(
            format: Self.videoFormat, content: .data(MediaData([UInt8](repeating: 0, count: 10))),
            presentationTime: time, duration: MediaTime(value: 40, timescale: 1000),
            isKeyframe: isKey ?? (frames % group == 0)
        ).accounting(for: 1)
        frames += 1
        let backlog = backlog
        change { $0.accept(sample, backlog: backlog, into: &$1) }
    }

    /// Routes the next audio packet.
    mutating func routeAudio() {
        let sample = SampleBuffer(
            format: Self.audioFormat, content: .data(MediaData([1, 2, 3])),
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

    func losses(_ type: MediaType) -> [DropCause: Int64] {
        actions.reduce(into: [:]) { sums, action in
            switch action {
            case .loss(_, type, let count, let cause), .dropped(type, let count, let cause):
                sums[cause, default: 0] += count
            default: break
            }
        }
    }
}

@Suite struct PacketRouterTests {
    private func seconds(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 1) }

    @Test func split_severalFiles_keepsEachFrameOnce() {
        var bench = RouterBench()
        bench.change { $0.begin(at: nil, into: &$1) }
        bench.run(milliseconds: 1500)
        bench.change { $0.cut(soon: &$1) }
        bench.run(milliseconds: 4000)
        bench.change { $0.limit(until: MediaTime(value: 4500, timescale: 1000), size: nil, into: &$1) }
        bench.run(milliseconds: 8000)
        #expect(bench.openings.map(\.number) == [1, 2, 3])
        #expect(bench.openings.map { $0.start.ticks(in: 1000) } == [0, 2000, 5000])
        #expect(bench.times(1) + bench.times(2) + bench.times(3) == (0..<200).map { Int64($0) * 40 })
        for number in 1...3 { #expect(bench.packets(.video, in: number).first?.isKeyframe == true) }
        #expect(bench.ends[1] == seconds(2) && bench.ends[2] == seconds(5) && bench.ends[3] == nil)
    }

    @Test func split_audioAcrossIt_isInBothFilesAndCountedOnce() throws {
        var bench = RouterBench()
        bench.change { $0.begin(at: nil, into: &$1) }
        bench.run(milliseconds: 1500)
        bench.change { $0.cut(soon: &$1) }
        bench.run(milliseconds: 4000)
        let first = bench.packets(.audio, in: 1)
        let second = bench.packets(.audio, in: 2)
        let last = try #require(first.last)
        #expect(last.presentationTime < seconds(2) && last.endTime >= seconds(2))
        // The divided packet, and the two that decoding it depends on.
        let lead = second.filter { $0.presentationTime < seconds(2) }
        #expect(lead.count >= 3 && lead.allSatisfy { $0.ledgerCount == 0 })
        #expect(lead.last?.presentationTime == last.presentationTime)
        let all = Int64(bench.blocks) * 1024
        let waiting = all - bench.count(.audio)
        #expect(waiting >= 0 && waiting < 48_000 / 5)
        #expect(bench.losses(.audio) == [:])
    }

    @Test func split_audioIsLate_closesTheFileWhenItArrives() {
        var bench = RouterBench()
        bench.change { $0.begin(at: nil, into: &$1) }
        bench.run(milliseconds: 1500)
        bench.change { $0.cut(soon: &$1) }
        // Audio stops while the frames continue past the cut.
        bench.run(milliseconds: 2200, audio: false)
        #expect(bench.openings.count == 2 && bench.ends[1] == nil)
        bench.run(milliseconds: 2200)
        #expect(bench.ends[1] == seconds(2))
    }

    @Test func split_microphoneHangs_closesTheFile() {
        var bench = RouterBench()
        bench.change { $0.begin(at: nil, into: &$1) }
        bench.run(milliseconds: 1500)
        bench.change { $0.cut(soon: &$1) }
        bench.run(milliseconds: 5200, audio: false)
        #expect(bench.ends[1] == seconds(2))
    }

    @Test func begin_atATime_storesFromTheKeyframeBefore() {
        var bench = RouterBench(preRoll: seconds(3))
        bench.run(milliseconds: 10_000)
        #expect(bench.openings.isEmpty)
        bench.change { $0.begin(at: MediaTime(value: 7350, timescale: 1000), into: &$1) }
        bench.run(milliseconds: 11_000)
        #expect(bench.openings.first?.start == MediaTime(value: 7350, timescale: 1000))
        #expect(bench.times(1).first == 7000)
        #expect(bench.times(1) == (175..<275).map { Int64($0) * 40 })
        // Frames that only decoding needs do not count.
        #expect(bench.count(.video) == 275 - 184)
        #expect(
            bench.packets(.audio, in: 1).first.map { $0.presentationTime < MediaTime(value: 7350, timescale: 1000) }
                == true)
    }

    @Test func preRoll_isBoundedByTime() {
        var bench = RouterBench(preRoll: seconds(3))
        bench.run(milliseconds: 60_000)
        let kept = bench.router.preRoll
        #expect(kept.duration >= seconds(3) && kept.duration <= seconds(4) + MediaTime(value: 200, timescale: 1000))
        #expect(kept.video.first?.isKeyframe == true)
        let bytes = kept.video.reduce(0) { $0 + $1.byteCount } + kept.audio.reduce(0) { $0 + $1.byteCount }
        #expect(kept.byteCount == bytes)
    }

    @Test func backlog_overTheLimit_dropsAndCountsWholeGOPs() {
        var bench = RouterBench()
        bench.change { $0.begin(at: nil, into: &$1) }
        bench.run(milliseconds: 1200)
        bench.backlog = 1001
        bench.run(milliseconds: 2200)
        bench.backlog = 100
        bench.run(milliseconds: 5000)
        let dropped = bench.losses(.video)
        #expect(dropped == [.disk: Int64(bench.frames) - bench.count(.video)])
        // The gap is from the overload to the first keyframe after the encoder has caught up.
        let times = bench.times(1)
        let gap = zip(times, times.dropFirst()).first { $1 - $0 > 40 }
        #expect(gap?.0 == 1160 && gap?.1 == 3000)
        #expect(bench.losses(.audio) == [:])
    }

    @Test func camera_disconnectsAndReconnects_continuesAndBeginsTheNextFile() {
        var bench = RouterBench()
        bench.change { $0.begin(at: nil, into: &$1) }
        bench.run(milliseconds: 1500)
        bench.change { $0.trackEnded(.video, into: &$1) }
        bench.run(milliseconds: 4000, video: false)
        #expect(bench.openings.count == 1)
        #expect(
            bench.packets(.audio, in: 1).last.map { $0.presentationTime > MediaTime(value: 3900, timescale: 1000) }
                == true)
        bench.skipFrames(to: 4000)
        bench.change { $0.trackBegan(.video, format: RouterBench.videoFormat, into: &$1) }
        bench.run(milliseconds: 6000)
        #expect(bench.openings.map { $0.start.ticks(in: 1000) } == [0, 4000])
        #expect(bench.ends[1] == seconds(4))
        #expect(bench.times(2).first == 4000)
    }

    @Test func framesDropped_audioOnlyFile_countInTheNextFileWithVideo() {
        var bench = RouterBench()
        bench.change { $0.begin(at: nil, into: &$1) }
        bench.run(milliseconds: 1500)
        bench.change { $0.trackEnded(.video, into: &$1) }
        bench.change { $0.cut(soon: &$1) }
        bench.run(milliseconds: 4000, video: false)
        #expect(bench.openings.map { $0.video != nil } == [true, false])
        bench.change { $0.recordLoss(.video, 60, .device, into: &$1) }
        bench.change { $0.recordLoss(.video, 2, .device, into: &$1) }
        #expect(bench.losses(.video) == [:])
        bench.skipFrames(to: 4000)
        bench.change { $0.trackBegan(.video, format: RouterBench.videoFormat, into: &$1) }
        bench.run(milliseconds: 6000)
        #expect(bench.openings.map { $0.video != nil } == [true, false, true])
        let files = bench.actions.compactMap { action -> Int? in
            if case .loss(let segment, .video, _, _) = action { segment } else { nil }
        }
        #expect(files == [3] && bench.losses(.video) == [.device: 62])
    }

    @Test func allDevices_disconnect_closeTheFileAndReconnectBeginsTheNext() {
        var bench = RouterBench()
        bench.change { $0.begin(at: nil, into: &$1) }
        bench.run(milliseconds: 1000)
        bench.change { $0.trackEnded(.video, into: &$1) }
        bench.change { $0.trackEnded(.audio, into: &$1) }
        #expect(bench.ends[1].map { $0 >= seconds(1) } == true)
        bench.change { $0.recordLoss(.video, 75, .device, into: &$1) }
        bench.skipFrames(to: 4000)
        bench.change { $0.trackBegan(.video, format: RouterBench.videoFormat, into: &$1) }
        bench.run(milliseconds: 5000, audio: false)
        #expect(bench.openings.map(\.number) == [1, 2])
        #expect(bench.openings.last?.start == seconds(4))
        #expect(bench.losses(.video) == [.device: 75])
    }

    @Test func end_armedRecording_endsAtItsTimeAndCanBeginAgain() {
        var bench = RouterBench(preRoll: seconds(1))
        bench.run(milliseconds: 1000)
        bench.change { $0.begin(at: seconds(1), into: &$1) }
        bench.run(milliseconds: 2500)
        bench.change { $0.end(at: MediaTime(value: 3010, timescale: 1000), into: &$1) }
        #expect(!bench.hasEnded)
        bench.run(milliseconds: 4000)
        #expect(bench.hasEnded && bench.ends[1] == MediaTime(value: 3010, timescale: 1000))
        #expect(bench.count(.video) == Int64(bench.times(1).filter { $0 >= 1000 && $0 < 3010 }.count))
        bench.change { $0.begin(at: seconds(4), into: &$1) }
        bench.run(milliseconds: 5000)
        #expect(bench.openings.map(\.number) == [1, 1])
    }

    @Test func limit_audioOnly_splitsAtTheExactTime() {
        var bench = RouterBench(video: false)
        bench.change { $0.begin(at: nil, into: &$1) }
        bench.run(milliseconds: 500, video: false)
        bench.change { $0.limit(until: seconds(1), size: nil, into: &$1) }
        bench.run(milliseconds: 2000, video: false)
        #expect(bench.openings.map(\.start) == [.zero, seconds(1)])
        #expect(bench.ends[1] == seconds(1))
        #expect(bench.count(.audio) == Int64(bench.blocks) * 1024)
        #expect(bench.packets(.audio, in: 1).last.map { $0.endTime > seconds(1) } == true)
    }

    @Test func addChapter_nearASplit_isInTheFileOfItsTime() {
        var bench = RouterBench()
        bench.change { $0.begin(at: nil, into: &$1) }
        bench.run(milliseconds: 1500)
        bench.change { $0.addChapter("early", at: seconds(1), into: &$1) }
        bench.change { $0.addChapter("late", at: MediaTime(value: 2100, timescale: 1000), into: &$1) }
        bench.change { $0.cut(soon: &$1) }
        bench.run(milliseconds: 3000)
        let chapters = bench.actions.compactMap { action -> String? in
            if case .chapter(let segment, let title, _) = action { "\(segment) \(title)" } else { nil }
        }
        #expect(chapters == ["1 early", "2 late"])
    }

    @Test func audio_priming_countsAsCapturedFrames() {
        // AAC's first packet ends where the recording begins, and counts as captured audio frames.
        var bench = RouterBench(video: false)
        bench.change { $0.begin(at: nil, into: &$1) }
        bench.run(milliseconds: 1000, video: false)
        bench.change { $0.trackEnded(.audio, into: &$1) }
        #expect(bench.count(.audio) == Int64(bench.blocks) * 1024)
    }
}

import MediaTypes
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

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

    // MARK: Frames without packets

    /// Routes a second of a still: a keyframe, and frames that repeat it, with their audio.
    private func still(_ bench: inout RouterBench, seconds: Int = 1) {
        for _ in 0..<seconds {
            let begin = bench.frames * 40
            bench.frame(isKey: true)
            for _ in 1..<25 { bench.repeatFrame() }
            bench.run(milliseconds: begin + 1000, video: false)
        }
    }

    @Test func still_audio_doesNotWaitForAPacket() {
        var bench = RouterBench()
        bench.change { $0.begin(at: nil, into: &$1) }
        bench.frame(isKey: true)
        for _ in 1..<25 { bench.repeatFrame() }
        bench.run(milliseconds: 980, video: false)
        #expect(bench.times(1) == [0])
        // The frames have reached 960 ms.
        let reached = bench.packets(.audio, in: 1).last?.presentationTime ?? .zero
        #expect(reached >= MediaTime(value: 930, timescale: 1000))
    }

    @Test func still_camerasEnd_isTheEndOfTheLastFrame() {
        var bench = RouterBench(audio: false)
        bench.change { $0.begin(at: nil, into: &$1) }
        bench.frame(isKey: true)
        for _ in 1..<20 { bench.repeatFrame() }
        bench.change { $0.trackEnded(.video, into: &$1) }
        #expect(bench.ends == [1: MediaTime(value: 800, timescale: 1000)])
    }

    @Test func still_endOfTheRecording_isReachedByAFrameWithoutAPacket() {
        var bench = RouterBench(audio: false)
        bench.change { $0.begin(at: nil, into: &$1) }
        bench.frame(isKey: true)
        bench.change { $0.end(at: MediaTime(value: 400, timescale: 1000), into: &$1) }
        for _ in 1..<10 { bench.repeatFrame() }
        #expect(!bench.hasEnded)
        bench.repeatFrame()
        #expect(bench.hasEnded && bench.ends == [1: MediaTime(value: 400, timescale: 1000)])
    }

    @Test func still_split_beginsTheNextFileWithTheRequestedKeyframe() {
        var bench = RouterBench()
        bench.change { $0.begin(at: nil, into: &$1) }
        still(&bench)
        bench.change { $0.cut(soon: &$1) }
        let requests = bench.actions.compactMap { action -> MediaTime? in
            if case .requestKeyframe(let time) = action { time } else { nil }
        }
        #expect(requests == [MediaTime(value: 960, timescale: 1000)])
        still(&bench)
        #expect(bench.times(1) == [0] && bench.times(2) == [1000] && bench.ends[1] == seconds(1))
    }

    @Test func still_recordingFromThePast_beginsWithTheFrameOnScreen() throws {
        var bench = RouterBench(preRoll: seconds(3))
        still(&bench, seconds: 5)
        bench.change { $0.begin(at: MediaTime(value: 2600, timescale: 1000), into: &$1) }
        let frames = bench.packets(.video, in: 1)
        // The keyframe of 2000 ms is moved to the start, and counts.
        #expect(frames.map { $0.presentationTime.ticks(in: 1000) } == [2600, 3000, 4000])
        #expect(frames.map(\.ledgerCount) == [1, 1, 1] && frames.first?.isKeyframe == true)
        #expect(bench.openings.first?.start == MediaTime(value: 2600, timescale: 1000))
    }

    @Test func still_mark_doesNotWaitForAPacket() {
        var bench = RouterBench(audio: false)
        bench.change { $0.begin(at: nil, into: &$1) }
        bench.frame(isKey: true)
        bench.change { $0.addChapter("mark", at: MediaTime(value: 100, timescale: 1000), into: &$1) }
        for _ in 1..<4 { bench.repeatFrame() }
        #expect(bench.actions.contains { if case .chapter = $0 { true } else { false } })
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

    @Test func begin_afterAChangeOfMasks_storesNoEarlierFrame() {
        var bench = RouterBench()
        bench.run(milliseconds: 1500)
        bench.router.masksChangedAt = MediaTime(value: 1600, timescale: 1000)
        #expect(bench.router.newestGroup.isEmpty)
        bench.change { $0.begin(at: MediaTime(value: 1700, timescale: 1000), into: &$1) }
        bench.run(milliseconds: 1600)
        #expect(bench.openings.isEmpty)
        bench.frame(isKey: true)
        #expect(!bench.router.newestGroup.isEmpty)
        bench.run(milliseconds: 3000)
        #expect(bench.openings.first?.start == MediaTime(value: 1700, timescale: 1000))
        #expect(bench.times(1).first == 1600)
        // The frames before the start are not missing in the recording.
        #expect(bench.losses(.video) == [:])
    }

    @Test func begin_preRollFromBeforeAChangeOfMasks_storesIt() {
        var bench = RouterBench(preRoll: seconds(3))
        bench.run(milliseconds: 6000)
        bench.router.masksChangedAt = seconds(6)
        bench.change { $0.begin(at: MediaTime(value: 4500, timescale: 1000), into: &$1) }
        #expect(bench.times(1).first == 4000)
    }

    @Test func begin_cameraJustDisconnected_storesItsPreRoll() {
        var bench = RouterBench(preRoll: seconds(3))
        bench.run(milliseconds: 6000)
        bench.change { $0.trackEnded(.video, into: &$1) }
        bench.run(milliseconds: 7000, video: false)
        bench.change { $0.begin(at: seconds(4), into: &$1) }
        #expect(bench.openings.map(\.start) == [seconds(4)] && bench.openings[0].video == RouterBench.videoFormat)
        #expect(bench.times(1) == (100..<150).map { Int64($0) * 40 } && bench.count(.video) == 50)
        // The file continues with audio alone.
        bench.run(milliseconds: 9000, video: false)
        #expect(bench.openings.count == 1 && bench.ends.isEmpty && bench.misplaced == 0)
        #expect(bench.packets(.audio, in: 1).last.map { $0.endTime > MediaTime(value: 8990, timescale: 1000) } == true)
        // The next file begins when the camera is back.
        bench.skipFrames(to: 9000)
        bench.change { $0.trackBegan(.video, format: RouterBench.videoFormat, into: &$1) }
        bench.run(milliseconds: 10_000)
        #expect(bench.times(2).first == 9000 && bench.ends[1] == seconds(9))
        #expect(bench.losses(.video) == [:])
    }

    @Test func begin_cameraDisconnectedBeforeThePreRoll_storesAudioOnly() {
        var bench = RouterBench(preRoll: seconds(3))
        bench.run(milliseconds: 6000)
        bench.change { $0.trackEnded(.video, into: &$1) }
        bench.run(milliseconds: 10_000, video: false)
        bench.change { $0.begin(at: seconds(7), into: &$1) }
        #expect(bench.openings.map(\.start) == [seconds(7)] && bench.openings[0].video == nil)
        #expect(bench.times(1) == [])
    }

    @Test(arguments: [false, true]) func begin_allDevicesJustDisconnected_storesThePreRollInAFile(hasVideo: Bool) {
        var bench = RouterBench(preRoll: seconds(3), video: hasVideo)
        bench.run(milliseconds: 6000, video: hasVideo)
        if hasVideo { bench.change { $0.trackEnded(.video, into: &$1) } }
        bench.change { $0.trackEnded(.audio, into: &$1) }
        bench.change { $0.begin(at: seconds(4), into: &$1) }
        #expect(bench.openings.map(\.start) == [seconds(4)])
        #expect(bench.times(1).last == (hasVideo ? 5960 : nil))
        #expect(bench.ends[1].map { $0 > MediaTime(value: 5990, timescale: 1000) } == true)
        // The next file begins with a device that is back.
        bench.skipAudio(to: 8000)
        bench.change { $0.trackBegan(.audio, format: RouterBench.audioFormat, into: &$1) }
        bench.run(milliseconds: 9000, video: false)
        #expect(bench.openings.count == 2 && bench.misplaced == 0)
    }

    @Test func begin_frameOnScreenAtTheDisconnect_lastsUntilThen() {
        var bench = RouterBench(preRoll: seconds(3), audio: false)
        for index in 0..<125 {
            if index % 25 == 0 { bench.frame(isKey: true) } else { bench.repeatFrame() }
        }
        bench.change { $0.trackEnded(.video, into: &$1) }
        bench.change { $0.begin(at: MediaTime(value: 2600, timescale: 1000), into: &$1) }
        #expect(bench.times(1) == [2600, 3000, 4000] && bench.ends[1] == seconds(5))
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

    /// Otherwise players do not show the last frame, and a file with one frame is empty.
    @Test func camera_packetsWithoutDuration_lastOneInterval() {
        var bench = RouterBench(audio: false)
        bench.frameDuration = nil
        bench.change { $0.begin(at: nil, into: &$1) }
        bench.frame()
        bench.change { $0.trackEnded(.video, into: &$1) }
        #expect(bench.ends[1] == MediaTime(value: 1, timescale: 30), "the interval is not known yet")
        for (file, start) in [(2, 4000), (3, 9000)] {
            bench.skipFrames(to: start)
            bench.change { $0.trackBegan(.video, format: RouterBench.videoFormat, into: &$1) }
            bench.frame(isKey: true)
            if file == 2 { bench.frame() }
            bench.change { $0.trackEnded(.video, into: &$1) }
        }
        #expect(bench.ends[2] == MediaTime(value: 4080, timescale: 1000))
        #expect(bench.ends[3] == MediaTime(value: 9040, timescale: 1000), "one frame, of the interval before")
        #expect(bench.count(.video) == 4)
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
        #expect(bench.losses(.video, in: 3) == [.device: 62] && bench.losses(.video) == [.device: 62])
        #expect(bench.counted(.video) == bench.count(.video) + 62)
    }

    /// A microphone is connected while the file has no audio, or audio of another format. What it sends before the next
    /// file begins has no place.
    @Test(arguments: [false, true]) func audioBegins_fileHasNoSuchTrack_isCountedAsDropped(hasOther: Bool) {
        var bench = RouterBench(audio: false)
        let other = FormatDescription.audio(AudioFormat(codec: .aac, sampleRate: 44_100, channelCount: 2))
        if hasOther { bench.change { $0.trackBegan(.audio, format: other, into: &$1) } }
        bench.change { $0.begin(at: nil, into: &$1) }
        bench.run(milliseconds: 1500, audio: false)
        bench.skipAudio(to: 1500)
        let skipped = bench.blocks
        bench.change { $0.trackBegan(.audio, format: RouterBench.audioFormat, into: &$1) }
        bench.run(milliseconds: 4000)
        #expect(bench.openings.map(\.audio) == [hasOther ? other : nil, RouterBench.audioFormat])
        #expect(bench.packets(.audio, in: 1).isEmpty)
        // Releases all audio.
        bench.change { $0.trackEnded(.video, into: &$1) }
        let dropped = bench.losses(.audio, in: 2)
        #expect(Array(dropped.keys) == [.queue] && dropped[.queue].map { $0 > 20 * 1024 } == true)
        #expect(bench.counted(.audio) == Int64(bench.blocks - skipped) * 1024)
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
        #expect(bench.losses(.video, in: 2) == [.device: 75] && bench.losses(.video) == [.device: 75])
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

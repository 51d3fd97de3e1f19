import FakeDevices
import MediaTypes
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Files of a camera with B-frames and open GOPs.
@Suite struct ReorderedRouterTests {
    private func bench() -> RouterBench {
        var bench = RouterBench(video: false, audio: false)
        bench.change { $0.trackBegan(.video, format: ReorderedFrames.format, into: &$1) }
        return bench
    }

    private func send(_ packets: some Sequence<SampleBuffer>, to bench: inout RouterBench, backlog: Int64 = 0) {
        for packet in packets { bench.change { $0.accept(packet, backlog: backlog, into: &$1) } }
    }

    private func times(_ frames: [Int]) -> [Int64] { frames.map { Int64($0) * 40 } }

    @Test func split_openGOP_keepsEachFrameOnce() {
        var bench = bench()
        bench.change { $0.begin(at: nil, into: &$1) }
        let packets = ReorderedFrames.packets()
        send(packets.prefix(3), to: &bench)
        bench.change { $0.cut(soon: &$1) }
        send(packets.dropFirst(3).prefix(6), to: &bench)
        #expect(bench.openings.count == 2 && bench.ends[1] == nil, "leading frames may come")
        send(packets.dropFirst(9), to: &bench)
        // The first file has the next one's keyframe too, on which its last frames depend.
        #expect(bench.times(1) == times([0, 4, 2, 1, 3, 8, 6, 5, 7]))
        #expect(bench.times(2) == times([8, 12, 10, 9, 11, 16, 14, 13, 15, 20, 18, 17, 19]))
        #expect(bench.count(.video, in: 1) == 8 && bench.count(.video) == Int64(packets.count))
        #expect(bench.ends[1] == milliseconds(320) && bench.losses(.video) == [:] && bench.misplaced == 0)
    }

    @Test func split_closedGOP_closesTheFileWithTheNextFrame() {
        var bench = bench()
        bench.change { $0.begin(at: nil, into: &$1) }
        let packets = ReorderedFrames.packets([0, 4, 2, 1, 3, 5, 9, 7, 6, 8], keyframes: [0, 5])
        send(packets.prefix(1), to: &bench)
        bench.change { $0.cut(soon: &$1) }
        send(packets.dropFirst().prefix(5), to: &bench)
        #expect(bench.openings.count == 2 && bench.ends[1] == nil)
        send(packets.dropFirst(6), to: &bench)
        #expect(bench.ends[1] == milliseconds(200))
        #expect(bench.times(1) == times([0, 4, 2, 1, 3]) && bench.times(2) == times([5, 9, 7, 6, 8]))
    }

    @Test func split_cameraEndsAmongLeadingFrames_closesTheFile() {
        var bench = bench()
        bench.change { $0.begin(at: nil, into: &$1) }
        let packets = ReorderedFrames.packets()
        send(packets.prefix(3), to: &bench)
        bench.change { $0.cut(soon: &$1) }
        send(packets.dropFirst(3).prefix(4), to: &bench)
        bench.change { $0.trackEnded(.video, into: &$1) }
        #expect(bench.ends[1] == milliseconds(320))
    }

    @Test func begin_atAnOpenGOP_countsItsLeadingFrames() {
        var bench = bench()
        bench.change { $0.begin(at: milliseconds(200), into: &$1) }
        send(ReorderedFrames.packets().dropFirst(5), to: &bench)
        #expect(bench.openings.first?.start == milliseconds(320))
        #expect(bench.times(1).first == 320 && !bench.times(1).contains(240))
        // 5, 6 and 7 are after the start of the recording.
        #expect(bench.losses(.video) == [.corrupt: 3])
    }

    @Test func begin_withAPreRoll_beginsWithoutLeadingFrames() {
        var bench = bench()
        send(ReorderedFrames.packets(), to: &bench)
        bench.change { $0.begin(at: milliseconds(720), into: &$1) }
        #expect(bench.times(1) == times([16, 20, 18, 17, 19]) && bench.openings.first?.start == milliseconds(720))
        #expect(bench.losses(.video) == [:])
        #expect(bench.router.newestGroup.map { $0.presentationTime.ticks(in: 1000) } == times([16, 20, 18, 17, 19]))
    }

    @Test func backlog_overTheLimit_dropsTheLeadingFramesToo() {
        var bench = bench()
        bench.change { $0.begin(at: nil, into: &$1) }
        let packets = ReorderedFrames.packets()
        send(packets.prefix(2), to: &bench)
        send(packets.dropFirst(2).prefix(3), to: &bench, backlog: 1001)
        send(packets.dropFirst(5), to: &bench)
        #expect(bench.times(1) == times([0, 4, 8, 12, 10, 9, 11, 16, 14, 13, 15, 20, 18, 17, 19]))
        #expect(bench.losses(.video) == [.disk: 6])
    }

    @Test func camera_reconnects_leadingFramesAreDropped() {
        var bench = bench()
        bench.change { $0.begin(at: nil, into: &$1) }
        let packets = ReorderedFrames.packets()
        send(packets.prefix(5), to: &bench)
        // The next encoder begins with the keyframe 8.
        bench.change { $0.trackBegan(.video, format: ReorderedFrames.format, into: &$1) }
        send(packets.dropFirst(5), to: &bench)
        #expect(bench.times(1) == times([0, 4, 2, 1, 3]) && bench.times(2).first == 320)
        #expect(bench.losses(.video) == [.corrupt: 3])
    }

    @Test func end_amongReorderedFrames_waitsForThem() {
        var bench = bench()
        bench.change { $0.begin(at: nil, into: &$1) }
        let packets = ReorderedFrames.packets()
        send(packets.prefix(6), to: &bench)
        bench.change { $0.end(at: milliseconds(240), into: &$1) }
        send(packets.dropFirst(6), to: &bench)
        #expect(bench.hasEnded && bench.ends[1] == milliseconds(240))
        // The frame 5 is shown before the end, and is decoded after 8 and 6.
        #expect(bench.times(1).prefix(8) == times([0, 4, 2, 1, 3, 8, 6, 5])[...])
    }

    @Test(arguments: [199, 200]) func end_expectedBeforeAKeyframe_beginsNoFile(end: Int) {
        var bench = bench()
        bench.change { $0.begin(at: nil, into: &$1) }
        let packets = ReorderedFrames.packets([0, 4, 2, 1, 3, 5, 9, 7, 6, 8], keyframes: [0, 5])
        send(packets.prefix(5), to: &bench)
        bench.change { $0.limit(until: milliseconds(200), size: nil, into: &$1) }
        // The keyframe 5 is decoded at 120 ms, and shown at 200 ms.
        bench.change { router, _ in router.expectEnd(at: milliseconds(end)) }
        send(packets.dropFirst(5).prefix(2), to: &bench)
        bench.change { $0.end(at: milliseconds(end), into: &$1) }
        send(packets.dropFirst(7), to: &bench)
        #expect(bench.hasEnded && bench.openings.count == 1 && bench.ends[1] == milliseconds(end))
        // The keyframe is stored and counted, because later frames may be shown that depend on it.
        #expect(bench.times(1).prefix(6) == times([0, 4, 2, 1, 3, 5])[...] && bench.losses(.video) == [:])
    }

    @Test func end_expectedAfterAKeyframe_beginsAFile() {
        var bench = bench()
        bench.change { $0.begin(at: nil, into: &$1) }
        let packets = ReorderedFrames.packets([0, 4, 2, 1, 3, 5, 9, 7, 6, 8], keyframes: [0, 5])
        send(packets.prefix(5), to: &bench)
        bench.change { $0.limit(until: milliseconds(200), size: nil, into: &$1) }
        bench.change { router, _ in router.expectEnd(at: milliseconds(201)) }
        send(packets.dropFirst(5), to: &bench)
        bench.change { $0.end(at: milliseconds(201), into: &$1) }
        bench.change { $0.trackEnded(.video, into: &$1) }
        #expect(bench.hasEnded && bench.openings.count == 2 && bench.ends[2] == milliseconds(201))
        #expect(bench.times(1) == times([0, 4, 2, 1, 3]) && bench.times(2).first == 200)
    }

    @Test func end_beforeTheFirstKeyframe_beginsNoFile() {
        var bench = bench()
        bench.change { $0.begin(at: milliseconds(40), into: &$1) }
        let packets = ReorderedFrames.packets()
        bench.change { $0.end(at: milliseconds(300), into: &$1) }
        send(packets.dropFirst(5), to: &bench)
        #expect(bench.hasEnded && bench.openings.isEmpty)
        // 5, 6 and 7 depend on frames from before the recording.
        #expect(bench.losses(.video) == [.corrupt: 3])
    }

    @Test func unwritten_openGOP_leavesLeadingFramesOut() {
        var unwritten = UnwrittenPackets()
        for packet in ReorderedFrames.packets().dropFirst(5) { unwritten.append(packet) }
        let rest = unwritten.rest(video: 0, audio: 0, all: false)
        let expected = times([8, 12, 10, 9, 11, 16, 14, 13, 15, 20, 18, 17, 19])
        #expect(rest.packets.map { $0.presentationTime.ticks(in: 1000) } == expected)
        #expect(rest.start == milliseconds(320))
    }
}

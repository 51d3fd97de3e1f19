import MediaTypes
import Testing

@testable import NetworkCapture
@testable import RTSP

/// Frames that are missing after a keyframe, at 25 frames a second: a keyframe may be among them.
@Suite struct LostKeyframeTests {
    /// Sends frames of H.264, of one packet each. Their frame numbers have four bits, as those of x264.
    private func sendH264(_ count: Int, group: Int, lost: Set<Int>, to run: inout ReceptionRun) {
        var missing: UInt16 = 0
        for number in 0..<count {
            guard !lost.contains(number) else {
                missing += 1
                continue
            }
            let frameNumber = UInt8(number % group % 16)
            let head: UInt8 = number % group == 0 ? 0x65 : 0x41
            run.add(
                [head, 0x9A | frameNumber >> 3, (frameNumber & 7) << 5 | 0x10, 1], time: UInt32(number) * 3600,
                lost: missing)
            missing = 0
        }
    }

    /// Sends frames of HEVC, with a keyframe of four packets every 50 frames. Others have one packet.
    private func sendHEVC(_ count: Int, lost: Set<Int> = [], lostStarts: Set<Int> = [], to run: inout ReceptionRun) {
        var missing: UInt16 = 0
        for number in 0..<count {
            let isKeyframe = number % 50 == 0
            var packets: [[UInt8]] = [[0x02, 1, 0x80, 1]]
            if isKeyframe { packets = [0x95, 0x15, 0x15, 0x55].map { [0x62, 1, $0, 0x80, 1] } }
            for (index, packet) in packets.enumerated() {
                guard !lost.contains(number), index > 0 || !lostStarts.contains(number) else {
                    missing += 1
                    continue
                }
                run.add(packet, time: UInt32(number) * 3600, marker: index == packets.count - 1, lost: missing)
                missing = 0
            }
        }
    }

    @Test(arguments: [50, 250]) func reception_withoutAFrameOfEachGOP_losesThatFrame(group: Int) throws {
        var run = try ReceptionRun.h264(ReceptionRun.silentSets)
        sendH264(5 * group, group: group, lost: Set((0..<5).map { $0 * group + 37 }), to: &run)
        #expect(run.lost == 5 && run.sampleCount == 5 * group - 5)
    }

    @Test func reception_hevcWithoutAFrameOfEachGOP_losesThatFrame() throws {
        var run = try ReceptionRun.hevc()
        sendHEVC(250, lost: Set((0..<5).map { $0 * 50 + 37 }), to: &run)
        #expect(run.lost == 5 && run.sampleCount == 245)
    }

    @Test func reception_withoutAKeyframeAfterOtherLosses_losesItsGOP() throws {
        var run = try ReceptionRun.h264(ReceptionRun.silentSets)
        sendH264(200, group: 50, lost: [37, 87, 100], to: &run)
        // The frames 37 and 87, and 100 to 149.
        #expect(run.lost == 52 && run.sampleCount == 148)
    }

    @Test func reception_withTheIntervalOfAnEarlierConnection_losesOnlyTheMissingFrames() throws {
        var earlier = try ReceptionRun.h264(ReceptionRun.silentSets)
        sendH264(101, group: 50, lost: [], to: &earlier)
        let interval = try #require(earlier.reception.figures.video?.keyframeInterval)
        #expect(interval == 2_000_000_000)
        // Ten frames, of which any could be a keyframe if the interval were unknown.
        let lost = Set(28..<38)
        var unknown = try ReceptionRun.h264(ReceptionRun.silentSets)
        sendH264(100, group: 50, lost: lost, to: &unknown)
        #expect(unknown.lost == 22 && unknown.sampleCount == 78)
        var known = try ReceptionRun.h264(ReceptionRun.silentSets, keyframeInterval: interval)
        sendH264(100, group: 50, lost: lost, to: &known)
        #expect(known.lost == 10 && known.sampleCount == 90)
    }

    @Test func reception_hevcWithoutAKeyframe_losesItsGOP() throws {
        var run = try ReceptionRun.hevc()
        sendHEVC(200, lost: [37, 100], to: &run)
        #expect(run.lost == 51 && run.sampleCount == 149)
    }

    @Test func reception_hevcWithoutTheStartOfAKeyframe_losesItsGOP() throws {
        var run = try ReceptionRun.hevc()
        // One packet is missing, but without it the other three are useless.
        sendHEVC(200, lost: [37], lostStarts: [100], to: &run)
        #expect(run.lost == 51 && run.sampleCount == 149)
    }
}

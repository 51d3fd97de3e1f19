import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests that times that step back or repeat are put in order.
@Suite struct TimeOrderTests {
    private func audio(_ milliseconds: Int64) -> SampleBuffer {
        SyntheticMedia.tone(from: 0, count: 1536, at: MediaTime(value: milliseconds, timescale: 1000))
    }

    private func frame(_ milliseconds: Int64) -> SampleBuffer {
        SyntheticMedia.videoSample(0, at: MediaTime(value: milliseconds, timescale: 1000), width: 16, height: 16)
            .lasting(MediaTime(value: 40, timescale: 1000))
    }

    private func times(_ samples: [SampleBuffer], isVideo: Bool) -> [Double] {
        var order = TimeOrder(isStored: false, isVideo: isVideo)
        return samples.map { (order.take($0).sample.presentationTime.seconds * 1000).rounded() }
    }

    @Test func timeOrder_audioTooEarly_followsThePrevious() {
        #expect(times([0, 0, 64, 96].map(audio), isVideo: false) == [0, 32, 64, 96])
        #expect(times([5000, 5032, 0, 32, 64].map(audio), isVideo: false) == [5000, 5032, 5064, 5096, 5128])
    }

    @Test func timeOrder_frameTooEarly_keepsTheNextFramesTime() {
        #expect(times([0, 40, 40, 80, 120].map(frame), isVideo: true) == [0, 40, 60, 80, 120])
        #expect(times([9000, 9040, 0, 40].map(frame), isVideo: true) == [9000, 9040, 9080, 9120])
    }

    private static let year: Int64 = 366 * 86_400_000

    /// A damaged time: of all samples that follow, or of a single one.
    @Test(arguments: [false, true]) func timeOrder_jumpOfYears_followsThePrevious(isVideo: Bool) {
        var order = TimeOrder(isStored: false, isVideo: isVideo, correctsJumps: true)
        let length: Int64 = isVideo ? 40 : 32
        let own = [0, length, 5000 * Self.year, 5000 * Self.year + length, length * 4]
        let taken = own.map { order.take(isVideo ? frame($0) : audio($0)) }
        #expect(taken.map { $0.sample.presentationTime.ticks(in: 1000) } == (0..<5).map { length * $0 })
        #expect(taken.map(\.isMended) == [false, false, true, true, false])
    }

    @Test func timeOrder_storedFrameAfterAJump_keepsItsReordering() {
        var order = TimeOrder(isStored: true, isVideo: true, correctsJumps: true)
        _ = order.take(frame(40).decoded(at: .zero))
        let jump = 3 * Self.year
        let taken = order.take(frame(jump + 120).decoded(at: MediaTime(value: jump, timescale: 1000))).sample
        #expect(taken.decodeTime?.ticks(in: 1000) == 40 && taken.presentationTime.ticks(in: 1000) == 160)
    }

    @Test func timeOrder_jumpToCorrectNone_keepsTimes() {
        var order = TimeOrder(isStored: false, isVideo: true)
        for time in [0, 3 * Self.year] { #expect(!order.take(frame(time)).isMended) }
        var correcting = TimeOrder(isStored: false, isVideo: true, correctsJumps: true)
        for time in [0, Self.year - 1] { #expect(!correcting.take(frame(time)).isMended) }
    }

    @Test func timeOrder_inOrder_keepsTimes() {
        var order = TimeOrder(isStored: false, isVideo: true)
        for time in [0, 40, 41, 500] { #expect(!order.take(frame(Int64(time))).isMended) }
        order.restart()
        #expect(!order.take(frame(0)).isMended)
    }
}

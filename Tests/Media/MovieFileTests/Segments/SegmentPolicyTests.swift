import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

/// Tests of where segments end.
@Suite struct SegmentPolicyTests {
    private func sample(_ seconds: Double, key: Bool) -> SampleBuffer {
        SampleBuffer(
            format: .video(VideoFormat(codec: .h264, width: 64, height: 48)), content: .data(MediaData([0])),
            presentationTime: MediaTime(seconds: seconds), isKeyframe: key)
    }

    @Test func segment_keyframeAfterTheInterval_endsBeforeIt() {
        var policy = SegmentPolicy(interval: MediaTime(value: 2, timescale: 1), reference: 0)
        #expect(policy.admit(sample(10, key: true), track: 0) == .append)
        #expect(policy.admit(sample(11, key: true), track: 0) == .append)
        #expect(policy.admit(sample(12.5, key: false), track: 0) == .append)
        #expect(policy.admit(sample(13, key: true), track: 0) == .endBefore)
        // The interval counts from the segment's start; a frame early is accepted.
        #expect(policy.admit(sample(14.9, key: true), track: 0) == .append)
        #expect(policy.admit(sample(14.97, key: true), track: 0) == .endBefore)
    }

    @Test func segment_keyframeOfAnotherTrack_doesNotEndIt() {
        var policy = SegmentPolicy(interval: MediaTime(value: 1, timescale: 1), reference: 1)
        for second in 0..<10 { #expect(policy.admit(sample(Double(second), key: true), track: 0) == .append) }
    }

    @Test func segment_noInterval_endsOnlyByFlush() {
        var policy = SegmentPolicy(interval: .positiveInfinity, reference: 0)
        #expect(policy.admit(sample(0, key: true), track: 0) == .append)
        #expect(policy.admit(sample(10_000, key: true), track: 0) == .append)
        policy.flush(after: nil)
        #expect(policy.admit(sample(10_001, key: false), track: 0) == .append)
        #expect(policy.admit(sample(10_002, key: true), track: 0) == .endBefore)
        #expect(policy.admit(sample(10_003, key: true), track: 0) == .append)
        // Packets that were on their way belong to the segment that ends.
        for time in [10_005, 10_007] { policy.flush(after: MediaTime(value: Int64(time), timescale: 1)) }
        #expect(policy.admit(sample(10_004, key: true), track: 0) == .append)
        #expect(policy.admit(sample(10_005, key: true), track: 0) == .append)
        #expect(policy.admit(sample(10_006, key: true), track: 0) == .endBefore)
        #expect(policy.admit(sample(10_007, key: true), track: 0) == .append)
        #expect(policy.admit(sample(10_008, key: true), track: 0) == .endBefore)
        #expect(policy.admit(sample(10_009, key: true), track: 0) == .append)
    }

    @Test func segment_givenStart_countsFromThere() {
        let start = MediaTime(value: 9, timescale: 1)
        var policy = SegmentPolicy(interval: MediaTime(value: 2, timescale: 1), start: start, reference: 0)
        // This late keyframe begins the first segment.
        #expect(policy.admit(sample(12, key: true), track: 0) == .append)
        #expect(policy.admit(sample(12.5, key: true), track: 0) == .endBefore)
        #expect(policy.admit(sample(14, key: true), track: 0) == .append)
        #expect(policy.admit(sample(14.5, key: true), track: 0) == .endBefore)
    }
}

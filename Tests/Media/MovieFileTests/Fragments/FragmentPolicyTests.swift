import MediaTypes
import Testing

@testable import MovieFile

@Suite struct FragmentPolicyTests {
    private let video = FormatDescription.video(VideoFormat(codec: .h264, width: 2, height: 2))
    private let audio = FormatDescription.audio(AudioFormat(codec: .aac, sampleRate: 48_000, channelCount: 2))

    private func sample(_ format: FormatDescription, _ milliseconds: Int64, key: Bool = true) -> SampleBuffer {
        SampleBuffer(
            format: format, content: .data(MediaData([0])),
            presentationTime: MediaTime(value: milliseconds, timescale: 1000), isKeyframe: key)
    }

    private func policy(initial: MediaTime = .zero, hasFormat: [Bool] = [true, true]) -> FragmentPolicy {
        FragmentPolicy(
            interval: MediaTime(value: 1, timescale: 1), initialInterval: initial, reference: 0, hasFormat: hasFormat)
    }

    /// A policy whose first fragment is complete.
    private func begun() -> FragmentPolicy {
        var policy = policy()
        #expect(policy.admit(sample(video, 0), track: 0) == .endAfter)
        return policy
    }

    @Test func firstFragment_firstPacketOfTheReference_endsIt() {
        var policy = policy()
        #expect(policy.admit(sample(audio, 0), track: 1) == .append)
        #expect(policy.admit(sample(video, 20), track: 0) == .endAfter)
    }

    @Test func firstFragment_unknownFormat_waitsForIt() {
        var policy = policy(hasFormat: [true, false])
        #expect(policy.admit(sample(video, 0), track: 0) == .append)
        #expect(policy.admit(sample(video, 33, key: false), track: 0) == .append)
        #expect(policy.admit(sample(audio, 0), track: 1) == .endAfter)
    }

    @Test func firstFragment_formatUnknownForFiveSeconds_isOmitted() {
        var policy = policy(hasFormat: [true, false])
        for time in stride(from: 0, to: 5000, by: 100) as StrideTo<Int64> {
            #expect(policy.admit(sample(video, time, key: false), track: 0) == .append)
        }
        #expect(policy.admit(sample(video, 5000, key: false), track: 0) == .endAfter)
    }

    @Test func firstFragment_noReferencePackets_waitsFiveSeconds() {
        var policy = policy()
        #expect(policy.admit(sample(audio, 0), track: 1) == .append)
        #expect(policy.admit(sample(audio, 4980), track: 1) == .append)
        #expect(policy.admit(sample(audio, 5000), track: 1) == .endAfter)
    }

    @Test func firstFragment_initialInterval_growsToIt() {
        var policy = policy(initial: MediaTime(value: 1, timescale: 2))
        #expect(policy.admit(sample(video, 0), track: 0) == .append)
        #expect(policy.admit(sample(video, 499, key: false), track: 0) == .append)
        #expect(policy.admit(sample(video, 500, key: false), track: 0) == .endAfter)
    }

    @Test func fragment_keyframeOfTheReference_endsBeforeIt() {
        var policy = begun()
        #expect(policy.admit(sample(video, 33, key: false), track: 0) == .append)
        #expect(policy.admit(sample(audio, 40), track: 1) == .append)
        #expect(policy.admit(sample(video, 600), track: 0) == .endBefore)
        #expect(policy.admit(sample(video, 633, key: false), track: 0) == .append)
    }

    @Test func fragment_keyframesCloseTogether_shareOne() {
        var policy = begun()
        let decisions = stride(from: 33, through: 1056, by: 33).map { policy.admit(sample(video, $0), track: 0) }
        // At 1023 ms another frame would exceed the interval.
        #expect(decisions.firstIndex(of: .endBefore) == 30 && decisions[31...].allSatisfy { $0 == .append })
    }

    @Test func fragment_noKeyframe_endsAfterTheInterval() {
        var policy = begun()
        #expect(policy.admit(sample(video, 33, key: false), track: 0) == .append)
        #expect(policy.admit(sample(video, 1032, key: false), track: 0) == .append)
        #expect(policy.admit(sample(video, 1033, key: false), track: 0) == .endBefore)
        #expect(policy.admit(sample(video, 2033, key: false), track: 0) == .endBefore)
    }

    @Test func fragment_audioOnly_doesNotEndAtEachPacket() {
        var policy = FragmentPolicy(
            interval: MediaTime(value: 1, timescale: 1), reference: 0, hasFormat: [true])
        #expect(policy.admit(sample(audio, 0), track: 0) == .endAfter)
        #expect(policy.admit(sample(audio, 21), track: 0) == .append)
        #expect(policy.admit(sample(audio, 42), track: 0) == .append)
        #expect(policy.admit(sample(audio, 1021), track: 0) == .endBefore)
    }

    @Test func fragment_referenceStops_otherTracksEndIt() {
        var policy = begun()
        #expect(policy.admit(sample(audio, 0), track: 1) == .append)
        #expect(policy.admit(sample(audio, 1999), track: 1) == .append)
        #expect(policy.admit(sample(audio, 2000), track: 1) == .endBefore)
        #expect(policy.admit(sample(audio, 3999), track: 1) == .append)
        #expect(policy.admit(sample(audio, 4000), track: 1) == .endBefore)
    }

    @Test func fragment_begunEarly_countsFromItsStart() {
        var policy = begun()
        #expect(policy.admit(sample(video, 33, key: false), track: 0) == .append)
        policy.begin()
        #expect(policy.admit(sample(video, 1500, key: false), track: 0) == .append)
        #expect(policy.admit(sample(video, 2499, key: false), track: 0) == .append)
        #expect(policy.admit(sample(video, 2500, key: false), track: 0) == .endBefore)
    }

    @Test func fragment_sparseTrack_doesNotEndIt() {
        var policy = FragmentPolicy(
            interval: MediaTime(value: 1, timescale: 1), reference: 0, hasFormat: [false, true], sparse: [1])
        let text = FormatDescription.text(TextFormat())
        for time in [0, 60_000, 3_600_000] as [Int64] { #expect(policy.admit(sample(text, time), track: 1) == .append) }
        #expect(policy.admit(sample(video, 0), track: 0) == .endAfter)
        for time in [7_200_000, 9_000_000] as [Int64] { #expect(policy.admit(sample(text, time), track: 1) == .append) }
        #expect(policy.admit(sample(video, 1000, key: false), track: 0) == .append)
        #expect(policy.admit(sample(video, 2000, key: false), track: 0) == .endBefore)
    }

    @Test func firstFragment_patience_limitsTheWaitForAFormat() {
        var policy = FragmentPolicy(
            interval: MediaTime(value: 1, timescale: 1), reference: 0, hasFormat: [false, true],
            patience: MediaTime(value: 60, timescale: 1))
        #expect(policy.admit(sample(audio, 0), track: 1) == .append)
        #expect(policy.admit(sample(audio, 59_000), track: 1) == .append)
        #expect(policy.admit(sample(audio, 60_000), track: 1) == .endAfter)
    }
}

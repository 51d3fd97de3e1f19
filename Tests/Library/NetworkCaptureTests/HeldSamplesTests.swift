import MediaTypes
import Testing

@testable import NetworkCapture

@Suite struct HeldSamplesTests {
    private func frame(_ milliseconds: Int64, _ count: Int = 1, isKeyframe: Bool = false) -> SampleBuffer {
        SampleBuffer(
            format: .video(VideoFormat(codec: .h264, width: 64, height: 32)),
            content: .data(MediaData([UInt8](repeating: 0, count: count))),
            presentationTime: MediaTime(value: milliseconds, timescale: 1000), isKeyframe: isKeyframe)
    }

    @Test func held_keyframe_replacesTheFramesBefore() {
        var held = HeldSamples()
        held.add(frame(0, isKeyframe: true))
        held.add(frame(40))
        held.add(frame(80, isKeyframe: true))
        held.add(frame(120))
        #expect(held.take().map { $0.presentationTime.ticks(in: 1000) } == [80, 120])
        #expect(held.take().isEmpty)
        let first = held.mayFollow(frame(160))
        #expect(first)
    }

    @Test func held_beyondItsMemory_waitsForAKeyframe() {
        var held = HeldSamples()
        held.add(frame(0, 20 << 20, isKeyframe: true))
        held.add(frame(40, 20 << 20))
        held.add(frame(80))
        #expect(held.samples.isEmpty)
        let second = held.mayFollow(frame(120))
        #expect(!second)
        let third = held.mayFollow(frame(160, isKeyframe: true))
        #expect(third)
        let fourth = held.mayFollow(frame(200))
        #expect(fourth)
    }
}

import MediaTypes
import Testing

@testable import NetworkCapture

@Suite struct HeldSamplesTests {
    @Test func held_keyframe_replacesTheFramesBefore() {
        var held = HeldSamples()
        held.add(SampleBuffer.frame(0, isKeyframe: true))
        held.add(SampleBuffer.frame(40))
        held.add(SampleBuffer.frame(80, isKeyframe: true))
        held.add(SampleBuffer.frame(120))
        #expect(held.take().map { $0.presentationTime.ticks(in: 1000) } == [80, 120])
        #expect(held.take().isEmpty)
        let first = held.mayFollow(SampleBuffer.frame(160))
        #expect(first)
    }

    @Test func held_leadingFramesOfItsKeyframe_areFromBefore() {
        var held = HeldSamples()
        held.add(SampleBuffer.frame(0, isKeyframe: true))
        held.add(SampleBuffer.frame(80, isKeyframe: true))
        held.add(SampleBuffer.frame(40))
        held.add(SampleBuffer.frame(120))
        #expect(held.take().map { $0.presentationTime.ticks(in: 1000) } == [80, 120])
        #expect(held.isBeforeFirst(SampleBuffer.frame(60)) && !held.isBeforeFirst(SampleBuffer.frame(100)))
        let next = held.mayFollow(SampleBuffer.frame(240, isKeyframe: true))
        #expect(next && !held.isBeforeFirst(SampleBuffer.frame(60)))
        // The GOP before that keyframe was delivered, and its leading frames depend on nothing else.
        let leading = held.mayFollow(SampleBuffer.frame(200))
        #expect(leading)
    }

    @Test func held_leadingFramesAfterForgottenOnes_areLost() {
        var held = HeldSamples()
        held.add(SampleBuffer.frame(0, 40 << 20, isKeyframe: true))
        let key = held.mayFollow(SampleBuffer.frame(80, isKeyframe: true))
        let leading = held.mayFollow(SampleBuffer.frame(40))
        let next = held.mayFollow(SampleBuffer.frame(120))
        #expect(key && !leading && next)
    }

    @Test func held_beyondItsMemory_waitsForAKeyframe() {
        var held = HeldSamples()
        held.add(SampleBuffer.frame(0, 20 << 20, isKeyframe: true))
        held.add(SampleBuffer.frame(40, 20 << 20))
        held.add(SampleBuffer.frame(80))
        #expect(held.samples.isEmpty)
        let second = held.mayFollow(SampleBuffer.frame(120))
        #expect(!second)
        let third = held.mayFollow(SampleBuffer.frame(160, isKeyframe: true))
        #expect(third)
        let fourth = held.mayFollow(SampleBuffer.frame(200))
        #expect(fourth)
    }
}

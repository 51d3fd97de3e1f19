import MediaTypes
import Testing

@testable import Capture

/// Tests of the test sources in virtual time.
@Suite struct TestSamplesTests {
    private func samples(second: Int64 = 7) -> TestSamples {
        TestSamples(
            size: FrameSize(320, 180), frameRate: FrameRate(30),
            audio: AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 2), second: second)
    }

    private func bytes(_ sample: SampleBuffer) -> [UInt8] {
        switch sample.content {
        case .pixels(let frame): frame.layout.planes.indices.flatMap { [UInt8](frame.plane($0)) }
        case .data(let data): [UInt8](data.bytes)
        }
    }

    @Test func samples_sameSecond_areTheSameBytesAtTheSameTimes() {
        let (first, second) = (samples(), samples())
        for index in [0, 1, 29, 30, 31, 200] as [Int64] {
            #expect(bytes(first.frame(index)).count == 320 * 180 * 3 / 2)
            #expect(bytes(first.frame(index)) == bytes(second.frame(index)))
            #expect(first.frame(index).presentationTime == second.frame(index).presentationTime)
            #expect(bytes(first.block(index)).count == 960 * 4)
            #expect(bytes(first.block(index)) == bytes(second.block(index)))
        }
    }

    @Test func samples_anotherSecond_areOtherFrames() {
        #expect(bytes(samples(second: 7).frame(1)) != bytes(samples(second: 8).frame(1)))
    }

    @Test func samples_anyIndex_haveItsNumberAndTime() {
        let sources = samples()
        for index in [0, 1, 100] as [Int64] {
            guard case .pixels(let frame) = sources.frame(index).content else {
                Issue.record("frame \(index) has no pixels")
                return
            }
            #expect(TestCamera.frameNumber(in: frame) == index)
            let frameTime = MediaTime(value: 7, timescale: 1) + MediaTime(value: index, timescale: 30)
            #expect(sources.frame(index).presentationTime == frameTime.converted(to: 1_000_000))
            let blockTime = MediaTime(value: 7, timescale: 1) + MediaTime(value: index, timescale: 50)
            #expect(sources.block(index).presentationTime.nanoseconds == blockTime.nanoseconds)
        }
    }
}

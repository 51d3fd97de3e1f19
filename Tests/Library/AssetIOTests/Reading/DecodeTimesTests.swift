import MediaTypes
import Testing

@testable import AssetIO

@Suite struct DecodeTimesTests {
    /// The decode times that result for frames of 33 ms, each with its presentation time and its decode time.
    private func run(_ frames: [(shown: Int64, decoded: Int64?)]) -> [Int64?] {
        func time(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 1000) }
        var times = DecodeTimes()
        var result: [Int64?] = []
        for frame in frames {
            let sample = SampleBuffer(
                format: .video(VideoFormat(codec: .h264, width: 2, height: 2)), content: .data(MediaData([1])),
                presentationTime: time(frame.shown), decodeTime: frame.decoded.map(time), duration: time(33))
            times.take(sample, isKnown: frame.decoded != nil) { result.append($0.decodeTime?.value) }
        }
        times.finish { result.append($0.decodeTime?.value) }
        return result
    }

    @Test func decodeTimes_missingAtTheStart_precedeTheFirstKnown() {
        #expect(run([(0, nil), (100, nil), (33, 0), (67, 33), (200, 67)]) == [-66, -33, 0, 33, 67])
    }

    @Test func decodeTimes_noneKnown_precedePresentationInOrder() {
        #expect(run([(0, nil), (33, nil), (67, nil)]) == [0, 33, 67])
        #expect(run([(0, nil), (100, nil), (33, nil)]) == [-67, -34, 33])
    }

    @Test func decodeTimes_known_areUnchanged() {
        #expect(run([(0, -66), (100, -33), (33, 0)]) == [-66, -33, 0])
    }
}

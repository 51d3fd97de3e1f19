import FakeDevices
import MediaTypes
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

@Suite struct EncodingNeedTests {
    private static func seconds(_ count: Int64) -> Int64 { count * 1_000_000_000 }

    @Test func look_packetsNotNeeded_restsAfterAWhile() {
        var need = EncodingNeed(mayRest: true)
        let answers = [(0, false), (9, false), (10, false), (11, false)].map { second, isNeeded in
            need.look(isNeeded: isNeeded, at: Self.seconds(second))
        }
        #expect(answers == [false, false, true, false] && need.isResting)
        let first = need.require(at: Self.seconds(20))
        let second = need.require(at: Self.seconds(21))
        #expect(first && !second && !need.isResting)
        let later = [(22, false), (29, true), (38, false), (39, false)].map { second, isNeeded in
            need.look(isNeeded: isNeeded, at: Self.seconds(second))
        }
        #expect(later == [false, false, false, true])
    }

    @Test func look_preRoll_neverRests() {
        var need = EncodingNeed(mayRest: false)
        let answers = (0..<100).map { need.look(isNeeded: false, at: Self.seconds($0)) }
        let wakes = need.require(at: Self.seconds(200))
        #expect(!answers.contains(true) && !wakes)
    }

    @Test func restingSamples_twoSeconds_keepTheLastHalf() {
        var resting = RestingSamples()
        func frame(_ time: Int, bytes: Int = 100) -> SampleBuffer {
            SampleBuffer(
                format: .video(VideoFormat(pixelFormat: .nv12, width: 64, height: 32)),
                content: .data(MediaData([UInt8](repeating: 0, count: bytes))), presentationTime: milliseconds(time),
                duration: milliseconds(40), isKeyframe: true)
        }
        for time in stride(from: 0, to: 2000, by: 40) { _ = resting.append(frame(time), isAwaited: false) }
        // The newest frame ends at 2000.
        #expect(resting.samples.first?.presentationTime == milliseconds(1480) && resting.samples.count == 13)
        var removed: Int64 = 0
        for time in stride(from: 2000, to: 5000, by: 40) { removed += resting.append(frame(time), isAwaited: true) }
        #expect(removed == 0 && resting.samples.first?.presentationTime == milliseconds(1480))
        for time in stride(from: 5000, to: 6000, by: 40) { removed += resting.append(frame(time), isAwaited: true) }
        #expect(removed == 13 && resting.samples.count == 100)
        // The newest frame is kept whatever its size.
        removed = resting.append(frame(6000, bytes: RestingSamples.mostBytes + 1), isAwaited: true)
        #expect(removed == 100 && resting.samples.count == 1)
    }
}

import FakeDevices
import MediaTypes
import Testing

@testable import RecorderControl
@testable import RecorderService

@Suite struct ResumedFramesTests {
    /// Places frames on the timeline of a recording with a pause. Returns those that are recorded.
    private func recorded(_ packets: [SampleBuffer], from start: Int, to end: Int) -> [SampleBuffer] {
        var frames = ResumedFrames()
        var line = PauseLine()
        line.pause(at: milliseconds(start))
        line.resume(at: milliseconds(end))
        return packets.compactMap { packet -> SampleBuffer? in
            guard case .recorded(let shift) = line.place(packet.presentationTime, frames: 1, rate: nil) else {
                frames.leaveOut(packet)
                return nil
            }
            return frames.place(packet, at: packet.presentationTime - shift, on: line)
        }
    }

    private func times(_ packets: [SampleBuffer]) -> [Int] {
        packets.map { Int($0.presentationTime.ticks(in: 1000)) }
    }

    /// True if decode times increase, and no frame is shown before it is decoded.
    private func isInOrder(_ packets: [SampleBuffer]) -> Bool {
        let decoded = packets.map { $0.decodeTime ?? $0.presentationTime }
        return zip(decoded, decoded.dropFirst()).allSatisfy { $0 < $1 }
            && zip(packets, decoded).allSatisfy { $0.presentationTime >= $1 }
    }

    @Test func resume_withoutPause_changesNothing() {
        let packets = ReorderedFrames.packets()
        let placed = recorded(packets, from: 5000, to: 6000)
        #expect(times(placed) == times(packets) && placed.map(\.decodeTime) == packets.map(\.decodeTime))
    }

    @Test func resume_atAKeyframe_keepsDecodeTimesInOrder() {
        // 4 is in the pause, and 2, 1 and 3 depend on it. The recording resumes exactly with the keyframe 8.
        let placed = recorded(ReorderedFrames.packets(), from: 150, to: 320)
        let frames = [0, 8, 12, 10, 9, 11, 16, 14, 13, 15, 20, 18, 17, 19]
        #expect(times(placed) == frames.map { $0 * 40 - ($0 > 0 ? 170 : 0) })
        #expect(isInOrder(placed))
    }

    @Test func resume_withinAGOP_waitsForTheKeyframe() {
        let placed = recorded(ReorderedFrames.packets(), from: 60, to: 100)
        let frames = [0, 4, 8, 12, 10, 9, 11, 16, 14, 13, 15, 20, 18, 17, 19]
        #expect(times(placed) == frames.map { $0 * 40 - ($0 > 0 ? 40 : 0) })
        #expect(isInOrder(placed))
    }

    @Test func resume_longAfterThePause_keepsTheDistancesOfFrames() {
        let placed = recorded(ReorderedFrames.packets(), from: 150, to: 200)
        let last = placed.suffix(8).compactMap(\.decodeTime)
        #expect(zip(last, last.dropFirst()).allSatisfy { $1 - $0 == milliseconds(40) } && isInOrder(placed))
    }

    @Test func resume_rawFrames_areAllRecorded() {
        let packets = (0..<20).map { number in
            SampleBuffer(
                format: ReorderedFrames.format, content: .data(MediaData([1])),
                presentationTime: milliseconds(number * 40))
        }
        let placed = recorded(packets, from: 200, to: 400)
        #expect(placed.count == 15 && placed.allSatisfy { $0.decodeTime == nil })
    }
}

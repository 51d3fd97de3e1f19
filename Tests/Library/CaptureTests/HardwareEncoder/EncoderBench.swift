import MediaTypes
import RealTime

@testable import Capture

/// An encoder of small packets: a mark, whether it is a keyframe, and the first two pixels, which have the number of
/// the frame.
final class EncoderBench {
    struct Packet: Equatable {
        var ticks: Int64
        var isKeyframe: Bool
        var number: Int
    }

    let clock = ManualClock()
    let device: FakeEncoder
    let encoder: StatefulEncoder
    var packets: [Packet] = []
    var sent: Int64 = 0
    /// True for the frames that come in a camera's buffers.
    var lends: (_ number: Int64) -> Bool = { _ in false }
    /// The buffers of these frames.
    var buffers: [FakeCameraBuffer] = []

    init(holdsNothing: Bool = false) {
        device = FakeEncoder(clock: clock) { frame, _, _, isKeyframe in
            [0xAA, isKeyframe ? 1 : 0, frame.plane(0)[0], frame.plane(0)[1]]
        }
        encoder = StatefulEncoder(device, holdsNothing: holdsNothing, clock: clock) { bytes in
            bytes.count == 4 && bytes[0] == 0xAA ? .frame(isKeyframe: bytes[1] == 1) : .invalid
        }
    }

    static func frame(_ number: Int64) -> PixelBuffer {
        let layout = PixelLayout(format: .i420, width: 16, height: 16)
        var bytes = [UInt8](repeating: 0, count: layout.byteCount)
        (bytes[0], bytes[1]) = (UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8))
        return PixelBuffer(layout: layout, data: MediaData(bytes))
    }

    /// Encodes frames whose times in ticks are their numbers times ten.
    func encode(_ count: Int, keyframesAt keyframes: Set<Int64> = []) throws {
        for _ in 0..<count {
            let number = sent
            sent += 1
            try encoder.encode(
                pixels(number), microseconds: number * 33_333 + 1, ticks: number * 10,
                isKeyframe: keyframes.contains(number)
            ) { (output: StatefulEncoder.Output) throws(MediaError) in take(output) }
        }
    }

    private func pixels(_ number: Int64) -> PixelBuffer {
        let frame = Self.frame(number)
        guard lends(number) else { return frame }
        let buffer = FakeCameraBuffer(frame)
        buffers.append(buffer)
        return buffer.lend()
    }

    /// The number of camera's buffers that are in use.
    var lentCount: Int { buffers.filter { $0.returnCount == 0 }.count }
    /// True if each of the camera's buffers was returned, and not twice.
    var areBuffersReturnedOnce: Bool { buffers.allSatisfy { $0.returnCount == 1 } }

    func finish() throws {
        try encoder.finish { (output: StatefulEncoder.Output) throws(MediaError) in take(output) }
    }

    private func take(_ output: StatefulEncoder.Output) {
        guard case .packet(let bytes, let ticks, let isKeyframe) = output else { return }
        packets.append(Packet(ticks: ticks, isKeyframe: isKeyframe, number: Int(bytes[2]) + Int(bytes[3]) << 8))
    }

    /// True if each frame came out once or is counted as lost, in order, with its own bytes.
    var isAccountedFor: Bool {
        let times = packets.map(\.ticks)
        return Int64(packets.count) + encoder.lostFrames + Int64(encoder.heldFrames) == sent
            && zip(times, times.dropFirst()).allSatisfy { $0 < $1 }
            && packets.allSatisfy { $0.ticks == Int64($0.number) * 10 }
    }
}

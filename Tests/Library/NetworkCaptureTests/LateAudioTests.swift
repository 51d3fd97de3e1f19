import MediaTypes
import Testing

@testable import NetworkCapture
@testable import RTSP

/// Audio of a camera that begins minutes after the video. Time is virtual.
@Suite struct LateAudioTests {
    private static let second: Int64 = 1_000_000_000
    /// The delays from capture to arrival: that of an encoder of video, and that of a packet of audio.
    private static let videoDelay: Int64 = 320_000_000
    private static let audioDelay: Int64 = 20_000_000

    /// A camera of JPEG and G.711, and the times that its samples get.
    private struct Camera {
        var reception: CameraReception
        /// For each stream, the time of the latest sample minus that of its capture, in nanoseconds.
        var errors: [Int64] = [.max, .max]
        var counts = [0, 0]
        var lost: Int64 = 0
        private var sequences: [UInt16] = [0, 0]
        private static let rates: [Int64] = [90_000, 8000]
        /// The beginning of the monotonic clock's part of the test, and the wall clock then.
        private static let start = 1000 * LateAudioTests.second
        private static let wall: Int64 = 1_700_000_000

        init() throws {
            let formats = [
                PayloadFormat(payloadType: 26, encoding: "JPEG", clockRate: 90_000),
                PayloadFormat(payloadType: 0, encoding: "PCMU", clockRate: 8000),
            ]
            let streams = zip(formats, [MediaDescription.Kind.video, .audio]).enumerated().map { index, stream in
                SessionStream(
                    description: MediaDescription(kind: stream.1, formats: [stream.0]), format: stream.0,
                    transport: .interleaved(rtp: UInt8(2 * index), rtcp: UInt8(2 * index + 1)))
            }
            reception = try CameraReception(streams, mostDelay: 0, source: 1)
        }

        /// Receives a packet. Times are nanoseconds from the beginning.
        mutating func receive(_ payload: [UInt8], stream: Int, captured: Int64, at arrival: Int64) {
            sequences[stream] &+= 1
            let sequence = sequences[stream]
            let head: [UInt8] = [0x80, stream == 0 ? 0x80 | 26 : 0, UInt8(sequence >> 8), UInt8(sequence & 0xFF)]
            let ticks = UInt32(truncatingIfNeeded: captured * Self.rates[stream] / LateAudioTests.second)
            take(head + big(ticks) + source(stream) + payload, stream, isControl: false, at: arrival, captured)
        }

        mutating func report(stream: Int, at time: Int64) {
            let seconds = UInt32(truncatingIfNeeded: Self.wall + 2_208_988_800 + time / LateAudioTests.second)
            let rest = (time % LateAudioTests.second) << 32
            let fraction = UInt32(truncatingIfNeeded: rest / LateAudioTests.second)
            let ticks = UInt32(truncatingIfNeeded: time * Self.rates[stream] / LateAudioTests.second)
            let head: [UInt8] = [0x80, 200, 0, 6]
            let bytes = head + source(stream) + [seconds, fraction, ticks, 0, 0].flatMap { big($0) }
            take(bytes, stream, isControl: true, at: time, time)
        }

        private mutating func take(
            _ bytes: [UInt8], _ stream: Int, isControl: Bool, at arrival: Int64, _ captured: Int64
        ) {
            var output: [ReceptionOutput] = []
            reception.receive(
                bytes, stream: stream, isControl: isControl, at: Self.start + arrival,
                wall: Self.wall + arrival / LateAudioTests.second)
            reception.deliver(&output)
            for result in output {
                switch result {
                case .sample(let sample):
                    counts[stream] += 1
                    errors[stream] = sample.presentationTime.nanoseconds - Self.start - captured
                case .lost(_, let count, _, _): lost += count
                default: break
                }
            }
        }

        private func source(_ stream: Int) -> [UInt8] { [1, 2, 3, UInt8(stream)] }

        private func big(_ value: UInt32) -> [UInt8] {
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
        }
    }

    @Test func reception_audioThreeMinutesLate_isInSyncWithTheVideo() throws {
        var camera = try Camera()
        let (begin, end) = (180 * Self.second, 330 * Self.second)
        let image: [UInt8] = [0, 0, 0, 0, 1, 50, 8, 6, 1]
        let law = [UInt8](repeating: 0xFF, count: 160)
        for time in stride(from: Self.videoDelay, to: end, by: 20_000_000) {
            if time % 40_000_000 == 0 {
                camera.receive(image, stream: 0, captured: time - Self.videoDelay, at: time)
            }
            if time > begin { camera.receive(law, stream: 1, captured: time - Self.audioDelay, at: time) }
            guard time % (5 * Self.second) == 0 else { continue }
            camera.report(stream: 0, at: time)
            if time > begin { camera.report(stream: 1, at: time) }
            // Without audio, the delay of the video cannot be known.
            if time == begin { #expect(abs(camera.errors[0] - Self.videoDelay) < 20_000_000) }
        }
        #expect(camera.counts == [8242, 7499] && camera.lost == 0)
        #expect(abs(camera.errors[1] - Self.audioDelay) < 20_000_000, "\(camera.errors)")
        #expect(abs(camera.errors[0] - camera.errors[1]) < 40_000_000, "\(camera.errors)")
    }
}

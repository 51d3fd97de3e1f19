import Capture
import MediaCodecs
import MediaTypes
import RealTime

/// The result of testing a hardware encoder with five seconds of video, for `recorder doctor --report`.
struct EncoderTrial: Sendable, Equatable {
    static let size = FrameSize(1280, 720)
    static let frameCount = 150
    private static let rate: Int32 = 30
    /// The number of different frames, which are encoded repeatedly.
    private static let period = 16

    /// The encoder's node.
    var device: String
    var frames = 0
    var packets = 0
    var keyframes = 0
    var bytes: Int64 = 0
    /// The number of frames without a packet.
    var lost: Int64 = 0
    /// False if the packets were not in the order of their frames, or did not have the times of their frames.
    var isOrdered = true
    /// The time from the first frame to the last packet, in seconds.
    var seconds = 0.0
    /// The longest duration of a call that encodes a frame, in seconds.
    var slowest = 0.0
    /// Profile and level of the parameter sets; nil if the encoder was not opened.
    var profile: String?
    var error: MediaError?

    /// Tests every encoder of H.264, one after the other. Blocks for some seconds per encoder.
    static func all() -> [EncoderTrial] {
        EncoderDiscovery.encoders().filter(\.encodesH264).map { encoder in
            let settings = VideoSettings(
                width: size.width, height: size.height, rateControl: .bitRate(4_000_000),
                expectedFrameRate: Double(rate))
            return run(encoder.path) { () throws(MediaError) in
                try HardwareH264Encoder(
                    path: encoder.path, settings: settings, color: .bt709, timeScale: 90_000, holdsNothing: false)
            }
        }
    }

    /// Encodes the frames as fast as the encoder accepts them.
    static func run(
        _ device: String, clock: any HostClock = MonotonicClock(),
        open: () throws(MediaError) -> any VideoEncoder
    ) -> EncoderTrial {
        var trial = EncoderTrial(device: device)
        var begin = clock.nanoseconds
        do throws(MediaError) {
            let encoder = try open()
            let configuration = encoder.format.decoderConfiguration
            if configuration.count > 3 { trial.profile = "profile \(configuration[1]), level \(configuration[3])" }
            defer { trial.lost = encoder.lostFrames }
            let layout = encoder.input.layout ?? .nv12
            // The frames are made before the test, so that only the encoder's time is measured.
            let stripes = (0..<period).map { frame($0, layout) }
            var times: [MediaTime] = []
            begin = clock.nanoseconds
            for number in 0..<frameCount {
                let time = MediaTime(value: Int64(number), timescale: rate)
                let frame = stripes[number % period]
                let before = clock.nanoseconds
                try encoder.encode(frame, at: time, asKeyframe: false) { trial.record($0, &times) }
                trial.slowest = max(trial.slowest, Double(clock.nanoseconds - before) / 1e9)
                trial.frames += 1
            }
            try encoder.finish { trial.record($0, &times) }
        } catch {
            trial.error = error
        }
        trial.seconds = Double(clock.nanoseconds - begin) / 1e9
        return trial
    }

    private mutating func record(_ packet: SampleBuffer, _ times: inout [MediaTime]) {
        packets += 1
        if packet.isKeyframe { keyframes += 1 }
        if case .data(let data) = packet.content { bytes += Int64(data.count) }
        if let last = times.last, packet.presentationTime <= last { isOrdered = false }
        if packet.presentationTime.ticks(in: 90_000) % 3000 != 0 { isOrdered = false }
        times.append(packet.presentationTime)
    }

    /// Returns a frame of moving diagonal stripes.
    private static func frame(_ number: Int, _ format: PixelFormat) -> PixelBuffer {
        let layout = PixelLayout(format: format, width: size.width, height: size.height)
        let data = MediaData(byteCount: layout.byteCount) { bytes in
            bytes.initializeMemory(as: UInt8.self, repeating: 128)
            let luma = layout.planes[0]
            for row in 0..<luma.rows {
                for column in 0..<size.width {
                    let value = (column + row + number * 8) % 128 + 64
                    bytes[luma.offset + row * luma.bytesPerRow + column] = UInt8(truncatingIfNeeded: value)
                }
            }
        }
        return PixelBuffer(layout: layout, color: .bt709, data: data)
    }

    /// The result as one line.
    var text: String {
        let account =
            "\(frames) frames of \(Self.size), \(packets) packets\(isOrdered ? "" : " out of order"), \(lost) lost, "
            + "\(keyframes) keyframes, \(bytes) bytes, \(milliseconds(seconds)) ms, slowest frame "
            + "\(milliseconds(slowest)) ms"
        return (["test of \(device): \(account)"] + [profile, error?.description].compactMap(\.self))
            .joined(separator: "; ")
    }

    private func milliseconds(_ seconds: Double) -> Int64 {
        // in range: at most 10^9
        Int64(max(0, min(seconds, 1e6)) * 1000)
    }
}

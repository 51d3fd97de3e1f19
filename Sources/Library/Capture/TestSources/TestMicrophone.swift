public import MediaTypes
import RealTime

/// A built-in microphone that needs no hardware. It plays a soft tone, and a click on each full second of the monotonic
/// clock. The click begins exactly at the instant at which `TestCamera` flashes.
///
/// Blocks are 20 ms long, at the true rate, and are delivered when their last frame would have been captured. Like a
/// sound card, it tolerates a reader that is late by up to half a second; after that, audio is lost and reported as
/// lost.
public final class TestMicrophone: CaptureSource {
    public let format: FormatDescription
    public let summary: String

    private let audio: AudioFormat
    private let thread = CaptureThread(name: "test microphone")

    /// Creates a test microphone.
    ///
    /// - Parameters:
    ///   - sampleRate: 8,000 to 192,000 frames per second.
    ///   - channelCount: 1 to 64. The first two are equal; each further one has a tone of its own.
    ///   - sampleFormat: `s16` or `float32`.
    /// - Throws: `deviceUnsuitable` for any other value, with the nearest supported one.
    public init(
        sampleRate: Int = 48_000, channelCount: Int = 2, sampleFormat: PCMSampleFormat = .s16
    ) throws(MediaError) {
        let formats: [PCMSampleFormat] = [.s16, .float32]
        let offered = MicrophoneCapabilities(
            formats: formats, sampleRates: [min(max(sampleRate, 8_000), 192_000)], channels: Array(1...64))
        let request = MicrophoneRequest(sampleRate: sampleRate, channels: channelCount, format: sampleFormat)
        audio = try offered.choices(for: request, device: "the test microphone")[0]
        format = .audio(audio)
        let channels = channelCount == 1 ? "mono" : channelCount == 2 ? "stereo" : "\(channelCount) channels"
        summary = "test microphone: \(sampleRate) Hz \(channels) \(sampleFormat.rawValue)"
    }

    public func start(_ receiver: @escaping @Sendable (DeviceEvent) -> Void) throws(MediaError) {
        let (stop, audio) = (thread.stopSignal, audio)
        try thread.start("cannot start the test microphone") {
        } body: {
            Self.run(audio, stop: stop, receiver: receiver)
        } close: {
        }
    }

    public func stop() { _ = thread.stop() }

    private static func run(_ format: AudioFormat, stop: WakeUp, receiver: (DeviceEvent) -> Void) {
        let frames = format.sampleRate / 50
        let tone = TestTone(format: format, blockFrames: frames)
        let clock = MonotonicClock()
        let rate = FrameRate(Int32(format.sampleRate), per: Int32(frames))
        let timing = TestSourceTiming(rate: rate, now: clock.nanoseconds)
        let length = rate.interval.nanoseconds
        var last = timing.index(atOrAfter: clock.nanoseconds) - 1
        // A block is complete when the next one begins.
        while !stop.isFired(before: timing.nanoseconds(of: last + 2)) {
            let (index, skipped) = timing.next(after: last, now: clock.nanoseconds - length, patience: 25)
            if skipped > 0 {
                let time = MediaTime(nanoseconds: timing.nanoseconds(of: index))
                receiver(.lost(count: skipped * Int64(frames), cause: .device, near: time))
            }
            receiver(.sample(tone.sample(index, frames: frames, timing: timing, format: format)))
            last = index
        }
    }
}

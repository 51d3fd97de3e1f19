import AssetIO
import Capture
import FakeDevices
import Foundation
import Logging
import MediaTypes
import RealTime
import TestSupport

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// A capture process with real encoders and files, on fake devices. The frames are 64×48 at 25 fps, and their
/// brightness is their number, unless a test shows others. The audio is 48 kHz mono: it counts its samples, or clicks
/// four times a second.
final class JoinBench: Sendable {
    enum Audio: Sendable {
        case counting
        case clicking
    }

    static let frame = FormatDescription.video(VideoFormat(pixelFormat: .nv12, width: 64, height: 48))
    static let audioFormat = SyntheticMedia.clickFormat
    /// Audio frames from one click to the next.
    static let clickDistance = 12_000
    /// Audio frames by which audio blocks precede video frames.
    private static let lag = 624

    let camera = FakeDevice { FakeSource(JoinBench.frame, frameRate: FrameRate(25)) }
    let microphone = FakeDevice { FakeSource(.audio(JoinBench.audioFormat)) }
    let clock = ManualClock(nanoseconds: 1_000_000_000)
    let process: CaptureProcess
    let directory: String
    private let audio: Audio
    private let opener: FakeOpener
    private let count = Locked(0)
    /// Draws the frame with a number.
    private let drawing = Locked<@Sendable (Int) -> PixelBuffer>({ SyntheticMedia.frame($0, width: 64, height: 48) })

    let log = LogLines()

    init(
        _ directory: String, audio: Audio, unfinished: UnfinishedRecordings? = nil, retention: Retention? = nil,
        _ configure: (inout RecordingConfiguration) -> Void = { _ in },
        foundations change: (inout SessionFoundations) -> Void = { _ in }
    ) {
        self.directory = directory
        self.audio = audio
        var configuration = RecordingConfiguration()
        configuration.output = directory + "/take.mov"
        configuration.diskReserve = 0
        configuration.audio = AudioSettings(codec: audio == .counting ? .linearPCM : .aac)
        configuration.video = .h264(
            preset: "veryfast", rateControl: .constantQuality(2), keyframeInterval: milliseconds(1000))
        configure(&configuration)
        var foundations = SessionFoundations()
        foundations.memory = .none
        let (clock, opener) = (clock, FakeOpener(camera: camera, microphone: microphone))
        self.opener = opener
        foundations.clock = clock
        foundations.wallClock = {
            Date(timeIntervalSince1970: 1_800_000_000).addingTimeInterval(Double(clock.nanoseconds) / 1e9)
        }
        foundations.audioPatience = 0
        change(&foundations)
        process = CaptureProcess(
            configuration: configuration, opener: opener, log: log.logger, unfinished: unfinished,
            retention: retention, foundations: foundations)
    }

    func run() -> Task<SessionOutcome, Never> { Task { await process.run { _ in } } }

    func ready() async throws {
        try await waitUntil {
            (self.camera.sources.last?.isStarted ?? false) && (self.microphone.sources.last?.isStarted ?? false)
        }
    }

    /// The number of frames that were played.
    var frames: Int { count.withLock { $0 } }
    var now: MediaTime { MediaTime(nanoseconds: clock.nanoseconds) }

    /// Plays `frames` more frames with their audio, as fast as the encoders accept them.
    func play(_ frames: Int, video: Bool = true) async throws {
        for _ in 0..<frames {
            step(video: video)
            try await waitUntil {
                guard let pipeline = self.process.session.snapshot.pipeline else { return true }
                return (pipeline.video?.queueDepth ?? 0) < 8 && (pipeline.audio?.queueDepth ?? 0) < 8
            }
        }
    }

    /// Makes the camera send other frames, perhaps of another size, from its next opening on.
    func show(_ draw: @escaping @Sendable (Int) -> PixelBuffer) {
        let format = FormatDescription.video(draw(0).videoFormat)
        camera.become { FakeSource(format, frameRate: FrameRate(25)) }
        drawing.withLock { $0 = draw }
    }

    /// Reconnects the camera and waits until it streams.
    func plugIn() async throws {
        let count = camera.sources.count
        camera.refuse(nil)
        // Waits for the encoder that is opened in advance. Without it, the first samples would be dropped and counted.
        try await waitUntil {
            guard let pipeline = self.process.session.snapshot.pipeline else { return false }
            return (pipeline.video?.isPrepared ?? true) && (pipeline.audio?.isPrepared ?? true)
        }
        try await waitUntil {
            self.opener.lookAgain()
            return self.camera.sources.count > count && self.camera.source.isStarted
        }
    }

    /// Plays until the condition is true.
    func play(until condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while !condition() {
            guard ContinuousClock.now < deadline else { throw TooLate() }
            try await play(1)
            usleep(5000)
        }
    }

    /// Plays while it waits for a result that needs the devices.
    ///
    /// - Parameter isAccepted: No frame is played until this is true or the result is there. A task starts late on a
    ///   busy machine.
    func playing<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result, once isAccepted: () -> Bool = { true }
    ) async throws -> Result {
        let isOver = Locked(false)
        let task = Task {
            defer { isOver.withLock { $0 = true } }
            return try await body()
        }
        try await waitUntil { isAccepted() || isOver.withLock { $0 } }
        try await play { isOver.withLock { $0 } }
        return try await task.value
    }

    /// Begins a recording of an armed process now, and plays until it has begun.
    func record() async throws -> RecordingStatus {
        try await playing { [process] in
            try await process.record()
        } once: {
            process.hasBegunRecording
        }
    }

    /// Sends a frame at its start, and the audio of its duration.
    private func step(video: Bool) {
        let number = count.withLock { count in
            defer { count += 1 }
            return count
        }
        let start = 1000 + number * 40
        let time = milliseconds(start)
        if video {
            let draw = drawing.withLock { $0 }
            camera.source.send(.sample(SampleBuffer(pixels: draw(number), presentationTime: time)))
        }
        clock.advance(by: max(0, Int64(start + 40) * 1_000_000 - clock.nanoseconds))
        // Audio blocks and video frames do not begin together.
        let (first, count) = number == 0 ? (0, 1920 - Self.lag) : (number * 1920 - Self.lag, 1920)
        let since = MediaTime(value: Int64(first), timescale: 48_000)
        microphone.source.send(.sample(block(first, count, at: milliseconds(1000) + since)))
    }

    private func block(_ start: Int, _ count: Int, at time: MediaTime) -> SampleBuffer {
        switch audio {
        case .counting:
            return SyntheticMedia.audio(
                (start..<(start + count)).map { Int16(truncatingIfNeeded: $0) }, format: Self.audioFormat, at: time)
        case .clicking:
            let clicks = ((start - 10)..<(start + count + 10)).filter { $0 > 0 && $0 % Self.clickDistance == 0 }
            return SyntheticMedia.clicks(at: clicks.map { $0 - start }, count: count, time: time)
        }
    }
}

/// The frames and audio of a recording's files, one after the other, as FFmpeg plays them.
struct JoinedFiles {
    /// The numbers of the frames.
    var frames: [Int] = []
    /// The audio of each file, 16 bits.
    var audio: [[Int16]] = []
    /// The samples of FFmpeg beyond each file's duration; negative if samples are missing.
    var excess: [Int] = []

    /// - Parameter durations: seconds of each file. FFmpeg plays whole audio packets at the end of an edit, so a file
    ///   may return up to a packet too much.
    init(_ paths: [String], _ durations: [Double?], from first: Int = 0) throws {
        var next = first
        for (path, duration) in zip(paths, durations) {
            for brightness in try Probe.brightness(path) {
                // Each of two hundred successive numbers has its own brightness.
                func distance(_ number: Int) -> Int { abs(Int(SyntheticMedia.luma(number)) - Int(brightness)) }
                let candidates = (max(0, next - 100)..<(next + 100)).filter { distance($0) <= 3 }
                let number = candidates.min { (distance($0), abs($0 - next)) < (distance($1), abs($1 - next)) } ?? -1
                frames.append(number)
                next = max(number, next) + 1
            }
            let data = try Probe.decodedAudio(path, as: "s16le")
            let samples = data.withUnsafeBytes { bytes in
                (0..<(bytes.count / 2)).map { bytes.loadUnaligned(fromByteOffset: $0 * 2, as: Int16.self) }
            }
            let count = duration.map { Int(($0 * 48_000).rounded()) } ?? samples.count
            excess.append(samples.count - count)
            audio.append(Array(samples.prefix(count)))
        }
    }

    var joinedAudio: [Int16] { audio.flatMap(\.self) }

    /// The audio frames at which the audio clicks.
    var clicks: [Int] { SyntheticMedia.clickPlaces(in: joinedAudio.map { Float($0) / 32_768 }) }
}

import Capture
import CommandInterface
import FakeDevices
import Foundation
import Logging
import MediaTypes
import RealTime
import TestSupport

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// A capture process on fakes: the test controls camera, microphone, encoders, disk and clock. The clock begins at 1000
/// ms.
final class CaptureBench: Sendable {
    let camera: FakeDevice?
    let microphone: FakeDevice?
    let encoders: FakeEncoders
    let files = FakeFiles()
    let clock = ManualClock(nanoseconds: 1_000_000_000)
    let process: CaptureProcess
    /// The arguments of the calls of `whenStarted`.
    let started = Locked<[String?]>([])
    /// The free bytes of the disk.
    let free = Locked<Int64?>(1_000_000_000_000)
    /// The wall clock minus the monotonic clock.
    let wallOffset: Locked<Date>
    let log = LogLines()
    private let opener: FakeOpener
    private let cursor = Locked((frame: 1000, block: 1000))

    /// - Parameters:
    ///   - wall: the wall time at zero of the monotonic clock.
    ///   - freeSpace: the free bytes of the disk; nil for those in `free`.
    init(
        _ directory: String, camera: Bool = true, microphone: Bool = true, encoders: FakeEncoders = FakeEncoders(),
        error: MediaError? = nil, wall: Date = Date(timeIntervalSince1970: 1_800_000_000),
        memory: MemoryReturn = .none, retention: Retention? = nil,
        _ configure: (inout RecordingConfiguration) -> Void = { _ in },
        reloader: (@Sendable () throws(RecordingFailure) -> RecordingConfiguration)? = nil,
        freeSpace: (@Sendable () -> Int64?)? = nil
    ) {
        self.encoders = encoders
        let frame = FormatDescription.video(VideoFormat(pixelFormat: .nv12, width: 64, height: 32))
        self.camera = camera ? FakeDevice { FakeSource(frame, frameRate: FrameRate(25)) } : nil
        self.microphone = microphone ? FakeDevice { FakeSource.microphone() } : nil
        opener = FakeOpener(camera: self.camera, microphone: self.microphone, error: error)
        wallOffset = Locked(wall)
        var configuration = RecordingConfiguration()
        configuration.output = directory + "/take.mov"
        configure(&configuration)
        let (clock, wallOffset, files, free) = (clock, wallOffset, files, free)
        var foundations = SessionFoundations()
        foundations.clock = clock
        foundations.wallClock = { wallOffset.withLock { $0 }.addingTimeInterval(Double(clock.nanoseconds) / 1e9) }
        foundations.audioPatience = 0
        foundations.makeEncoder = { format, _, sink throws(MediaError) in try encoders.make(format, sink) }
        foundations.makeFile = { files.make($0, $1, $2) }
        foundations.freeSpace = { _ in
            if let freeSpace { return freeSpace() }
            return free.withLock { $0 }
        }
        foundations.memory = memory
        process = CaptureProcess(
            configuration: configuration, opener: opener, log: log.logger, retention: retention,
            reloader: reloader, foundations: foundations)
    }

    func run() -> Task<SessionOutcome, Never> {
        Task { await process.run { path in self.started.withLock { $0.append(path) } } }
    }

    /// Waits until both devices are running.
    func ready() async throws {
        try await waitUntil {
            [self.camera, self.microphone].allSatisfy { $0?.sources.last.map { $0.isStarted } ?? ($0 == nil) }
        }
    }

    // MARK: Devices

    func frame(at time: Int) { camera?.source.frame(at: time) }
    func block(at time: Int) { microphone?.source.block(at: time) }

    /// Plays frames every 40 ms and audio every 100 ms up to a time, and advances the clock.
    func play(to end: Int, video: Bool = true, audio: Bool = true) {
        while true {
            let (frame, block) = cursor.withLock { $0 }
            if frame < end, frame < block + 100 || block + 100 > end {
                set(clock: frame)
                if video { self.frame(at: frame) }
                cursor.withLock { $0.frame += 40 }
            } else if block + 100 <= end {
                set(clock: block + 100)
                if audio { self.block(at: block) }
                cursor.withLock { $0.block += 100 }
            } else {
                return set(clock: end)
            }
        }
    }

    /// Plays until the condition is true.
    func play(until condition: () -> Bool) async throws {
        try await waitUntil {
            if condition() { return true }
            self.play(to: self.now + 40)
            usleep(3000)
            return false
        }
    }

    var now: Int { Int(clock.nanoseconds / 1_000_000) }

    /// Advances the clock to a time in milliseconds; it never goes back.
    func set(clock time: Int) { clock.advance(by: max(0, Int64(time) * 1_000_000 - clock.nanoseconds)) }

    /// Reconnects the device and waits until it streams.
    func plugIn(_ device: FakeDevice) async throws {
        let count = device.sources.count
        device.refuse(nil)
        // Waits for the encoder that is opened in advance. Without it, the first samples would be dropped and counted.
        try await waitUntil {
            guard let pipeline = self.process.session.snapshot.pipeline else { return false }
            return (pipeline.video?.isPrepared ?? true) && (pipeline.audio?.isPrepared ?? true)
        }
        try await waitUntil {
            self.opener.lookAgain()
            return device.sources.count > count && device.source.isStarted
        }
    }

    // MARK: The end

    func stop(at time: Int) {
        set(clock: time)
        process.requestStop()
    }

    /// Stops, and lets the devices deliver the remaining samples.
    func end(_ run: Task<SessionOutcome, Never>, at time: Int) async throws -> SessionOutcome {
        stop(at: time)
        let isOver = Locked(false)
        let waiter = Task {
            let outcome = await run.value
            isOver.withLock { $0 = true }
            return outcome
        }
        try await play { isOver.withLock { $0 } }
        return await waiter.value
    }

    /// Plays while it waits for a task that needs the devices.
    ///
    /// - Parameter isAccepted: The clock stands still until this is true or the task is over. A task starts late on a
    ///   busy machine, and a request without a time gets the time at which it is handled.
    func playing<Result: Sendable>(
        _ task: Task<Result, any Error>, once isAccepted: () -> Bool = { true }
    ) async throws -> Result {
        let isOver = Locked(false)
        let waiter = Task {
            defer { isOver.withLock { $0 = true } }
            return try await task.value
        }
        try await waitUntil { isAccepted() || isOver.withLock { $0 } }
        try await play { isOver.withLock { $0 } }
        return try await waiter.value
    }

    /// Begins a recording of an armed process now or at a given time, and plays until it has begun.
    func record(at moment: MediaTime? = nil) async throws -> RecordingStatus {
        try await playing(Task { try await process.record(at: moment) }) { process.hasBegunRecording }
    }

    /// Ends the open file now, and plays until it is finalized.
    func split() async throws -> RecordingStatus.Segment {
        try await playing(Task { try await process.split() }) { !process.session.snapshot.splits.isEmpty }
    }

    /// Stops the recording now, and plays until it is finalized.
    func stopRecording(disarms: Bool = false) async throws -> RecordingStatus {
        try await playing(Task { try await process.stop(disarms: disarms) }) { process.hasAcceptedStop }
    }
}

extension MediaError {
    /// Runs a body that must fail and returns its error.
    static func of<Result>(_ body: () async throws -> Result) async -> MediaError? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error as? MediaError
        }
    }
}

extension CaptureProcess {
    /// True once the session has begun a requested recording, until that recording has ended.
    var hasBegunRecording: Bool { session.snapshot.pipeline?.state.withLock { $0.ender != nil } == true }

    /// True once the session is to stop, or its recording.
    var hasAcceptedStop: Bool { session.quit.current != nil || session.snapshot.run?.stopRequested != nil }
}

extension RecordingStatus {
    /// Returns true if each captured sample is written, paused, repeated or counted as dropped.
    var isExact: Bool {
        (video.map { $0.captured == $0.written + $0.dropped.inAll + ($0.paused ?? 0) + ($0.repeated ?? 0) } ?? true)
            && (audio.map { $0.captured == $0.written + $0.dropped.inAll + ($0.paused ?? 0) } ?? true)
    }
}

extension MemoryReturn {
    /// Leaves memory alone: the process's pools also belong to other tests.
    static let none = MemoryReturn(deallocateUnused: {}, trimHeaps: {}, resident: { nil })
}

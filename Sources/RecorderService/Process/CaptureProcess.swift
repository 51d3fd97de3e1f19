import Capture
public import Foundation
import Logging
import MediaTypes
import RealTime

/// One recording from opening the devices to the finished file.
///
/// `run` is called once; everything else from any thread, at any time.
public final class CaptureProcess: Sendable {
    /// How a recording ended.
    public struct Outcome: Sendable {
        /// The last status; `file` is there when it says so.
        public let status: RecordingStatus
        /// nil when it ended as its owner wished.
        public let failure: RecordingFailure?
    }

    public let configuration: RecordingConfiguration
    let clock: any HostClock
    let log: Logger
    let facts: Locked<Facts>
    private let opener: any SourceOpener
    private let makeSink: SinkMaker
    private let soundPatience: Int64
    private let unfinished: UnfinishedRecordings?
    private let notices: AsyncStream<Notice>
    private let notify: AsyncStream<Notice>.Continuation
    private let outcome = Once<Outcome>()

    typealias SinkMaker =
        @Sendable (RecordingConfiguration, OutputLocation, RecordingSources, Date) throws(MediaError) -> any MovieSink

    /// What the supervisor hears.
    private enum Notice: Sendable {
        case joiner(SessionJoiner.Notice)
        case sink(MovieSinkEvent)
        case tick
    }

    /// How long the first sample may take to reach the file: some cameras need seconds to set their exposure.
    private static let startPatience: Int64 = 15_000_000_000

    /// - Parameters:
    ///   - soundPatience: how many nanoseconds the camera's start waits for the microphone's first block.
    ///   - unfinished: where the file is entered until it is whole.
    init(
        configuration: RecordingConfiguration, opener: any SourceOpener, clock: any HostClock = MonotonicClock(),
        log: Logger, soundPatience: Int64 = 300_000_000, unfinished: UnfinishedRecordings? = nil,
        makeSink: @escaping SinkMaker = AssetSink.make
    ) {
        self.unfinished = unfinished
        self.configuration = configuration
        self.opener = opener
        self.clock = clock
        self.log = log
        self.makeSink = makeSink
        self.soundPatience = soundPatience
        facts = Locked(Facts())
        (notices, notify) = AsyncStream.makeStream()
    }

    /// Asks for the end, at this moment. Returns at once; `finished()` waits for it. Repeating it changes nothing.
    public func requestStop() {
        let now = clock.nanoseconds
        let joiner: SessionJoiner? = facts.withLock { facts in
            guard facts.stopRequested == nil else { return nil }
            facts.stopRequested = now
            if facts.state != .failed { facts.state = .stopping }
            return facts.joiner
        }
        // Not by way of the supervisor: the next picture may be on its way already. While the devices are still being
        // opened there is no joiner; it learns of this when it is made.
        joiner?.stop(at: MediaTime(nanoseconds: now))
    }

    /// Waits until the file is whole, or until it is certain that it never will be.
    public func finished() async -> Outcome { await outcome.value() }

    /// Records.
    ///
    /// - Parameters:
    ///   - now: the wall clock, read once: for the name, the creation date and `started`.
    ///   - whenStarted: called once, with the path, when the first sample is in the file. Not called when nothing ever is.
    public func run(now: Date = Date(), whenStarted: @escaping @Sendable (String) async -> Void) async -> Outcome {
        let result: Outcome
        do throws(RecordingFailure) {
            let recording = try await open(now: now)
            result = await supervise(recording, whenStarted: whenStarted)
        } catch {
            facts.withLock { facts in
                facts.state = .failed
                facts.error = error.description
            }
            result = Outcome(status: status, failure: error)
        }
        outcome.set(result)
        return result
    }

    // MARK: Opening

    /// Devices, file and what joins them, all running.
    private struct Recording: Sendable {
        let sources: RecordingSources
        let sink: any MovieSink
        let joiner: SessionJoiner
        let location: OutputLocation
        let madeDirectories: [String]
    }

    private func open(now: Date) async throws(RecordingFailure) -> Recording {
        let configuration = configuration
        let location: OutputLocation
        do { location = try OutputLocation.resolve(configuration, now: now) } catch {
            throw RecordingFailure(.output, error)
        }
        let opener = opener
        let opened = await blockingCall("open-devices") {
            Result { () throws(MediaError) in try opener.open(configuration) }
        }
        let sources: RecordingSources
        do { sources = try opened.get() } catch { throw RecordingFailure(.devices, error) }
        for source in [sources.camera, sources.microphone].compactMap(\.self) { log.info("\(source.summary)") }

        let sink: any MovieSink
        var madeDirectories: [String] = []
        do {
            madeDirectories = try location.makeDirectories()
            sink = try makeSink(configuration, location, sources, now)
            enter(location)
            try sink.start()
        } catch {
            await blockingCall("close-devices") { sources.stop() }
            OutputLocation.removeDirectories(madeDirectories)
            leave(location)
            throw RecordingFailure(.output, error)
        }
        let notify = notify
        let joiner = SessionJoiner(
            sink: sink, video: sources.camera?.format.video,
            frameDuration: (sources.camera?.frameRate ?? configuration.frameRate)?.interval,
            audio: sources.microphone?.format.audio, duration: configuration.duration
        ) { notify.yield(.joiner($0)) }
        let stopRequested = facts.withLock { facts in
            facts.location = location
            facts.startedAt = now
            facts.sink = sink
            facts.joiner = joiner
            facts.video = sources.camera?.format.video
            facts.audio = sources.microphone?.format.audio
            return facts.stopRequested
        }
        if let stopRequested { joiner.stop(at: MediaTime(nanoseconds: stopRequested)) }
        do {
            // The microphone first: sound from before the first picture is kept, pictures from before the sound are not.
            if let microphone = sources.microphone {
                try microphone.start { joiner.microphone($0) }
                let patience = soundPatience
                if sources.camera != nil { await blockingCall("await-sound") { joiner.waitForSound(atMost: patience) } }
            }
            try sources.camera?.start { joiner.camera($0) }
        } catch {
            await blockingCall("close-devices") { sources.stop() }
            sink.cancel()
            OutputLocation.removeDirectories(madeDirectories)
            leave(location)
            facts.withLock { $0.location = nil }
            throw RecordingFailure(.devices, error)
        }
        return Recording(
            sources: sources, sink: sink, joiner: joiner, location: location, madeDirectories: madeDirectories)
    }

    // MARK: Recording

    private func supervise(
        _ recording: Recording, whenStarted: @escaping @Sendable (String) async -> Void
    ) async -> Outcome {
        let (sources, sink, joiner) = (recording.sources, recording.sink, recording.joiner)
        let notify = notify
        let sinkEvents = Task { await sink.forEachEvent { notify.yield(.sink($0)) } }
        // A device or a disk that hangs sends no event; only the clock shows it.
        let ticks = Task {
            while !Task.isCancelled {
                notify.yield(.tick)
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
        defer {
            sinkEvents.cancel()
            ticks.cancel()
        }
        let begun = clock.nanoseconds
        var isInFile = false
        var hasCamera = sources.camera != nil
        var hasMicrophone = sources.microphone != nil
        var isCameraOpen = hasCamera
        var failure: RecordingFailure?
        var isSinkLost = false

        supervision: for await notice in notices {
            switch notice {
            case .joiner(.sessionStarted):
                facts.withLock { if $0.state == .armed { $0.state = .recording } }
            case .joiner(.endIsNearer): break
            case .joiner(.cameraFailed(let error)):
                hasCamera = false
                if hasMicrophone { note(error) } else { failure = RecordingFailure(.recording, error) }
                joiner.cameraGone()
            case .joiner(.microphoneFailed(let error)):
                hasMicrophone = false
                if hasCamera { note(error) } else { failure = RecordingFailure(.recording, error) }
                joiner.microphoneGone()
                if let microphone = sources.microphone { await blockingCall("close-mic") { microphone.stop() } }
                joiner.appendKeptSound()
                sink.audio?.markAsFinished()
            case .joiner(.sinkFailed(let error)), .sink(.failed(let error)):
                failure = RecordingFailure(.recording, error)
                isSinkLost = true
                break supervision
            case .sink(.trackFailed(_, let error)): note(error)
            case .sink(.firstSampleWritten):
                guard !isInFile else { break }
                isInFile = true
                await whenStarted(recording.location.path)
            case .tick:
                let now = clock.nanoseconds
                joiner.tick(now: MediaTime(nanoseconds: now))
                facts.withLock { $0.disk.note(bytes: sink.bytesWritten, at: now) }
                if joiner.start == nil, now - begun > Self.startPatience {
                    failure = RecordingFailure(.devices, silence(of: sources))
                    break supervision
                }
            }
            if isCameraOpen, joiner.isVideoComplete || !hasCamera, let camera = sources.camera {
                isCameraOpen = false
                await blockingCall("close-camera") { camera.stop() }
                sink.video?.markAsFinished()
            }
            if joiner.isEnded { break }
        }
        facts.withLock { facts in
            facts.stopRequested = facts.stopRequested ?? clock.nanoseconds
            facts.state = .stopping
        }
        await blockingCall("close-devices") { sources.stop() }
        if isSinkLost {
            // What was synced can be repaired, unless that is nothing.
            if !isInFile { discardLeftovers(of: recording) }
            return conclude(failure)
        }
        do throws(RecordingFailure) {
            try await finish(recording, failure: failure, isInFile: isInFile)
            if !isInFile { await whenStarted(recording.location.path) }
        } catch {
            failure = failure ?? error
        }
        return conclude(failure)
    }

    /// Makes the file whole, if there is anything in it.
    private func finish(_ recording: Recording, failure: RecordingFailure?, isInFile: Bool)
        async throws(RecordingFailure)
    {
        let (sink, joiner) = (recording.sink, recording.joiner)
        guard let end = joiner.end, let start = joiner.start, end > start else {
            sink.cancel()
            discardLeftovers(of: recording)
            throw failure
                ?? RecordingFailure(
                    .recording,
                    MediaError(
                        .cancelled, "nothing was recorded", reason: "it was stopped before the first picture came"))
        }
        joiner.appendKeptSound()
        sink.video?.markAsFinished()
        sink.audio?.markAsFinished()
        do {
            try await sink.finish(endingAt: end)
        } catch {
            if !isInFile { discardLeftovers(of: recording) }
            throw RecordingFailure(.recording, error)
        }
        leave(recording.location)
        log.info("finished \(recording.location.path)")
    }

    /// From here on a crash leaves something that the next start must find.
    private func enter(_ location: OutputLocation) {
        do { try unfinished?.add(location.temporaryPath) } catch {
            log.warning("after a crash this recording must be repaired by hand: \(error.localizedDescription)")
        }
    }

    private func leave(_ location: OutputLocation) {
        do { try unfinished?.remove(location.temporaryPath) } catch {
            log.warning("cannot update the list of unfinished recordings: \(error.localizedDescription)")
        }
    }

    /// A file into which nothing was ever written tells nobody anything.
    private func discardLeftovers(of recording: Recording) {
        unlink(recording.location.temporaryPath)
        OutputLocation.removeDirectories(recording.madeDirectories)
        leave(recording.location)
        facts.withLock { $0.location = nil }
    }

    private func conclude(_ failure: RecordingFailure?) -> Outcome {
        facts.withLock { facts in
            if let failure {
                facts.state = .failed
                facts.error = failure.description
            }
            facts.closedIn = facts.stopRequested.map { Double(clock.nanoseconds - $0) / 1e9 }
        }
        return Outcome(status: status, failure: failure)
    }

    /// An error that does not end the recording; one that does is told by its outcome.
    private func note(_ error: MediaError) {
        log.error("\(error)")
        facts.withLock { $0.error = error.description }
    }

    private func silence(of sources: RecordingSources) -> MediaError {
        let name = (sources.camera ?? sources.microphone)?.summary ?? "the device"
        return MediaError(
            .deviceLost, "cannot record \(name)", reason: "it delivered nothing within 15 s",
            wayOut: "unplug it and plug it in again, or choose another one from `recorder devices`")
    }
}

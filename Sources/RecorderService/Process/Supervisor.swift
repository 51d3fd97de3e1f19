import Capture
import Foundation
import MediaTypes
import RealTime

/// Does what takes time in the life of a capture process: opens and closes devices, begins and ends recordings, looks after
/// files. Hears only of transitions, never of samples.
actor Supervisor {
    let process: CaptureProcess
    let whenStarted: @Sendable (String?) async -> Void
    var devices = Devices()
    var hub: PacketHub?
    var pipeline: LivePipeline?
    var watch: DiskWatch
    var overload = OverloadWatch()
    let plan: EncoderPlan

    var isCameraOpen = false
    var areDevicesOpen = false
    var hasToldStart = false
    /// Of the recording that is going on.
    var isEndTold = false
    var hasHubEnded = false
    var endDeadline: Int64?
    var failedFiles: Set<Int> = []
    var deadTracks: Set<MediaType> = []
    var begun: Int64 = 0
    var failure: RecordingFailure?
    var lastTidied = Int64.min / 2
    var isLookingAtDisk = false

    /// How long the first sample may take: some cameras need seconds to set their exposure.
    static let startPatience: Int64 = 15_000_000_000
    static let tidyInterval: Int64 = 60_000_000_000
    /// How long the encoders of an armed process may take to reach the end of a recording.
    static let endPatience: Int64 = 5_000_000_000

    struct Devices {
        var camera: DeviceKeeper?
        var microphone: DeviceKeeper?
    }

    init(_ process: CaptureProcess, whenStarted: @escaping @Sendable (String?) async -> Void) {
        self.process = process
        self.whenStarted = whenStarted
        watch = DiskWatch(reserve: process.configuration.diskReserve)
        plan = EncoderPlan(process.configuration, latency: process.latencies.encode) { [weak process] in
            process?.settings.overload.mayEase ?? true
        }
    }

    var configuration: RecordingConfiguration { process.configuration }
    var currentRun: RecordingRun? { process.facts.withLock { $0.run } }

    // MARK: Life

    func run() async -> CaptureProcess.Outcome {
        do throws(RecordingFailure) {
            try await open()
        } catch {
            process.facts.withLock { facts in
                facts.hasFailed = true
                facts.error = error.description
                facts.lastRun = facts.run ?? facts.lastRun
                facts.run = nil
            }
            return CaptureProcess.Outcome(status: process.status, failure: error)
        }
        // A device or a disk that hangs sends no event; only the clock shows it: so this looks from time to time, and waits
        // for nothing.
        let notify = process.notify
        let ticks = Task {
            while !Task.isCancelled {
                notify.yield(.tick)
                try? await Task.sleep(for: tickInterval)
            }
        }
        defer { ticks.cancel() }
        for await notice in process.notices {
            await handle(notice)
            await advance()
            if isOver { break }
        }
        await closeDevices()
        pipeline?.finish()
        return CaptureProcess.Outcome(status: process.status, failure: failure)
    }

    var isOver: Bool {
        process.facts.withLock { $0.run == nil && ($0.isQuitting || !configuration.isArmed) }
    }

    // MARK: Opening

    func open() async throws(RecordingFailure) {
        let run = configuration.isArmed ? nil : try newRun()
        let (opener, configuration) = (process.opener, configuration)
        if configuration.isArmed { try checkPlace() }
        let opened = await blockingCall("open-devices") {
            Result { () throws(MediaError) in try opener.openKeepers(configuration) }
        }
        do {
            let (camera, microphone) = try opened.get()
            devices = Devices(camera: camera, microphone: microphone)
        } catch {
            throw RecordingFailure(.devices, error)
        }
        areDevicesOpen = true
        isCameraOpen = devices.camera != nil
        for keeper in [devices.camera, devices.microphone].compactMap(\.self) { process.log.info("\(keeper.summary)") }
        do throws(RecordingFailure) {
            try await makePipeline()
            if let run { try begin(run) }
            try await startDevices()
        } catch {
            await closeDevices()
            pipeline?.finish()
            await discard(run)
            throw error
        }
        begun = process.clock.nanoseconds
    }

    /// An armed process learns now, not at the moment that it waits for, that there is no place for its files.
    private func checkPlace() throws(RecordingFailure) {
        do throws(MediaError) {
            _ = try OutputLocation.resolve(configuration, now: process.foundations.wallClock(), numbersTaken: true)
        } catch {
            throw RecordingFailure(.output, error)
        }
    }

    func newRun() throws(RecordingFailure) -> RecordingRun {
        let now = process.foundations.wallClock()
        do throws(MediaError) {
            let location = try OutputLocation.resolve(process.settings, now: now)
            if let error = watch.refusal(
                free: process.foundations.freeSpace(location.directory), in: location.directory)
            {
                throw error
            }
            return RecordingRun(
                process.settings, first: location, now: now, begunAt: process.clock.nanoseconds)
        } catch {
            throw RecordingFailure(.output, error)
        }
    }

    /// Encoders, and what joins them to files.
    func makePipeline() async throws(RecordingFailure) {
        let (process, devices, plan) = (process, devices, plan)
        let notify = process.notify
        let tracks = Locked((video: LiveTrack?.none, audio: LiveTrack?.none))
        let hub = PacketHub(preRoll: configuration.preRoll) { opening, events in
            process.makeFile(opening, events)
        } askForKeyFrame: { time in
            tracks.withLock { $0.video }?.askForKeyFrame(at: time)
        } notify: { notice in
            notify.yield(.hub(notice))
        }
        let makeEncoder = process.foundations.makeEncoder
        @Sendable func open(_ format: FormatDescription, _ rate: Double?) throws(MediaError) -> any TrackEncoder {
            guard let makeEncoder else { return try plan.open(format, frameRate: rate) }
            return try makeEncoder(format, rate)
        }
        let failed: @Sendable (MediaType, MediaError) -> Void = { notify.yield(.pipeline(.trackFailed($0, $1))) }
        let made = await blockingCall("open-encoders") {
            Result { () throws(MediaError) in
                let video = try devices.camera.map { camera throws(MediaError) in
                    try LiveTrack(
                        camera.format, hub: hub,
                        make: { format throws(MediaError) in try open(format, camera.frameRate?.framesPerSecond) },
                        failed: failed)
                }
                let audio = try devices.microphone.map { microphone throws(MediaError) in
                    try LiveTrack(
                        microphone.format, hub: hub, make: { format throws(MediaError) in try open(format, nil) },
                        failed: failed)
                }
                tracks.withLock { $0 = (video, audio) }
            }
        }
        do { try made.get() } catch { throw RecordingFailure(.output, error) }
        let interval = (devices.camera?.frameRate ?? configuration.frameRate)?.interval
        let (video, audio) = tracks.withLock { $0 }
        let pipeline = LivePipeline(
            hub: hub, video: video, audio: audio, soundFormat: devices.microphone?.format.audio,
            frameDuration: interval, keepsGoing: configuration.isArmed, clock: process.clock
        ) { notice in
            notify.yield(.pipeline(notice))
        }
        self.hub = hub
        self.pipeline = pipeline
        process.facts.withLock { facts in
            facts.pipeline = pipeline
            facts.video = devices.camera?.format.video
            facts.audio = devices.microphone?.format.audio
            facts.frameInterval = interval
            facts.videoBudget = plan.videoBudget
        }
    }

    func startDevices() async throws(RecordingFailure) {
        guard let pipeline else { return }
        do {
            // The microphone first: sound from before the first picture is kept, pictures from before the sound are not.
            if let microphone = devices.microphone {
                try microphone.start { pipeline.microphone($0) }
                let patience = process.foundations.soundPatience
                if devices.camera != nil {
                    await blockingCall("await-sound") { pipeline.waitForSound(atMost: patience) }
                }
            }
            let latency = process.latencies.append
            try devices.camera?.start { event in latency.measure { pipeline.camera(event) } }
        } catch {
            throw RecordingFailure(.devices, error)
        }
    }

    func closeDevices() async {
        guard areDevicesOpen else { return }
        areDevicesOpen = false
        isCameraOpen = false
        let devices = devices
        await blockingCall("close-devices") {
            devices.camera?.stop()
            devices.microphone?.stop()
        }
    }

    // MARK: Recordings

    func begin(_ run: RecordingRun) throws(RecordingFailure) {
        let largest = process.foundations.largestFile(run.location.directory)
        process.facts.withLock { $0.largestFile = largest }
        isEndTold = false
        hasHubEnded = false
        endDeadline = nil
        failedFiles = []
        overload = OverloadWatch()
        let asked = process.facts.withLock { facts in
            facts.run = run
            facts.error = nil
            facts.warning = nil
            facts.closedIn = nil
            facts.disk = DiskSpace()
            facts.marks = 0
            return facts.quitRequested
        }
        pipeline?.begin(
            duration: configuration.duration, preRoll: configuration.preRoll, limits: process.limits())
        // It may have been asked to end while its devices were being opened.
        if let asked, run.requestStop(at: asked) { pipeline?.stop(at: MediaTime(nanoseconds: asked)) }
    }

    func handle(_ notice: CaptureProcess.Notice) async {
        switch notice {
        case .pipeline(let notice): await handle(notice)
        case .hub(.ended): hasHubEnded = true
        case .hub(.segment(let number, let event)): await handle(event, of: number)
        case .begin(let run): await record(run)
        case .tick: tick()
        case .look: break
        }
    }

    /// An armed process begins a recording.
    func record(_ run: RecordingRun) async {
        do throws(RecordingFailure) {
            if let error = watch.refusal(
                free: process.foundations.freeSpace(run.location.directory), in: run.location.directory)
            {
                throw RecordingFailure(.output, error)
            }
            try begin(run)
        } catch {
            run.fail(error)
            process.facts.withLock { $0.run = nil }
            run.hasBegun.set(error)
            run.outcome.set(CaptureProcess.Outcome(status: process.status, failure: error))
        }
    }

    func handle(_ notice: LivePipeline.Notice) async {
        switch notice {
        case .endIsNearer: break
        case .sessionStarted:
            guard configuration.isArmed, !hasToldStart else { return }
            hasToldStart = true
            await whenStarted(nil)
        case .away(let type, let error, let isNews):
            process.note(error)
            guard isNews else { return }
            process.hooks?.run(.deviceLost, HookFacts(device: name(of: type), error: error.description))
        case .back(let type, let summary):
            process.log.notice("back again: \(summary)")
            process.facts.withLock { facts in
                facts.error = nil
                if type == .video {
                    facts.video = devices.camera?.format.video
                } else {
                    facts.audio = devices.microphone?.format.audio
                }
            }
            if type == .video { currentRun?.noteReturn() }
            process.hooks?.run(.deviceFound, HookFacts(device: summary))
        case .trackFailed(let type, let error):
            process.note(error)
            deadTracks.insert(type)
            let tracks = [pipeline?.video, pipeline?.audio].compactMap(\.self).map(\.mediaType)
            if deadTracks.isSuperset(of: tracks) { stop(RecordingFailure(.recording, error)) }
        }
    }

    func name(of type: MediaType) -> String? {
        (type == .video ? devices.camera : devices.microphone)?.summary
    }

    /// A recording that came to nothing before it began.
    func discard(_ run: RecordingRun?) async {
        guard let run else { return }
        for file in hub?.files.values ?? [:].values { file.cancel() }
        run.removeMadeDirectories()
    }
}

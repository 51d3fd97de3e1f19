import Capture
import Foundation
import MediaTypes
import RealTime

/// Does what takes time in the life of a capture process: opens and closes devices, begins and ends recordings, looks after
/// files. Hears only of transitions, never of samples.
actor Supervisor {
    private let process: CaptureProcess
    private let whenStarted: @Sendable (String?) async -> Void
    private var devices = Devices()
    private var hub: PacketHub?
    private var pipeline: LivePipeline?
    private var watch: DiskWatch
    private var overload = OverloadWatch()
    private let plan: EncoderPlan

    private var isCameraOpen = false
    private var areDevicesOpen = false
    private var hasToldStart = false
    /// Of the recording that is going on.
    private var isEndTold = false
    private var hasHubEnded = false
    private var endDeadline: Int64?
    private var failedFiles: Set<Int> = []
    private var deadTracks: Set<MediaType> = []
    private var begun: Int64 = 0
    private var failure: RecordingFailure?
    private var lastTidied = Int64.min / 2

    /// How long the first sample may take: some cameras need seconds to set their exposure.
    private static let startPatience: Int64 = 15_000_000_000
    private static let tidyInterval: Int64 = 60_000_000_000
    /// How long the encoders of an armed process may take to reach the end of a recording.
    private static let endPatience: Int64 = 5_000_000_000

    struct Devices {
        var camera: DeviceKeeper?
        var microphone: DeviceKeeper?
    }

    init(_ process: CaptureProcess, whenStarted: @escaping @Sendable (String?) async -> Void) {
        self.process = process
        self.whenStarted = whenStarted
        watch = DiskWatch(reserve: process.configuration.diskReserve)
        plan = EncoderPlan(process.configuration, latency: process.latencies.encode)
    }

    private var configuration: RecordingConfiguration { process.configuration }
    private var currentRun: RecordingRun? { process.facts.withLock { $0.run } }

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
        // A device or a disk that hangs sends no event; only the clock shows it.
        let notify = process.notify
        let ticks = Task {
            while !Task.isCancelled {
                notify.yield(.tick)
                try? await Task.sleep(for: .milliseconds(100))
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

    private var isOver: Bool {
        process.facts.withLock { $0.run == nil && ($0.isQuitting || !configuration.isArmed) }
    }

    // MARK: Opening

    private func open() async throws(RecordingFailure) {
        let run = configuration.isArmed ? nil : try newRun()
        let (opener, configuration) = (process.opener, configuration)
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

    private func newRun() throws(RecordingFailure) -> RecordingRun {
        let now = process.foundations.wallClock()
        do throws(MediaError) {
            let location = try OutputLocation.resolve(process.settings, now: now)
            if let error = watch.refusal(
                free: process.foundations.freeSpace(location.directory), in: location.directory)
            {
                throw error
            }
            let largest = DiskSpace.largestFile(at: location.directory)
            process.facts.withLock { $0.largestFile = largest }
            return RecordingRun(
                process.settings, first: location, now: now, begunAt: process.clock.nanoseconds)
        } catch {
            throw RecordingFailure(.output, error)
        }
    }

    /// Encoders, and what joins them to files.
    private func makePipeline() async throws(RecordingFailure) {
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
        }
    }

    private func startDevices() async throws(RecordingFailure) {
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
            try devices.camera?.start { pipeline.camera($0) }
        } catch {
            throw RecordingFailure(.devices, error)
        }
    }

    private func closeDevices() async {
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

    private func begin(_ run: RecordingRun) throws(RecordingFailure) {
        isEndTold = false
        hasHubEnded = false
        endDeadline = nil
        failedFiles = []
        overload = OverloadWatch()
        let asked = process.facts.withLock { facts in
            facts.run = run
            facts.error = nil
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

    private func handle(_ notice: CaptureProcess.Notice) async {
        switch notice {
        case .pipeline(let notice): await handle(notice)
        case .hub(.ended): hasHubEnded = true
        case .hub(.segment(let number, let event)): await handle(event, of: number)
        case .begin(let run): await record(run)
        case .tick: await tick()
        case .look: break
        }
    }

    /// An armed process begins a recording.
    private func record(_ run: RecordingRun) async {
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

    private func handle(_ notice: LivePipeline.Notice) async {
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

    private func name(of type: MediaType) -> String? {
        (type == .video ? devices.camera : devices.microphone)?.summary
    }

    // MARK: Files

    private func handle(_ event: SegmentEvent, of number: Int) async {
        guard let run = currentRun else { return }
        switch event {
        case .placed(let location): enter(location)
        case .opened: run.opened(number)
        case .began:
            guard run.began(number) else { return }
            run.hasBegun.set(nil)
            process.hooks?.run(.start, HookFacts(file: run.location(number)?.path))
            guard !hasToldStart else { return }
            hasToldStart = true
            await whenStarted(run.location(number)?.path)
        case .trackFailed(_, let error): process.note(error)
        case .finished: await finished(number, of: run)
        case .failed(let error):
            failedFiles.insert(number)
            resolveSplit(number, nil)
            stop(RecordingFailure(.recording, error))
        }
    }

    private func finished(_ number: Int, of run: RecordingRun) async {
        let location = run.location(number)
        if let location { leave(location) }
        guard let segment = run.closed(number, hub?.remove(number), isWhole: true) else { return }
        process.facts.withLock { $0.filesFinished += 1 }
        process.log.info("finished \(segment.file)")
        process.hooks?.run(
            .segment, HookFacts(file: segment.file, seconds: segment.duration, bytes: segment.bytes))
        resolveSplit(number, segment)
        await file(segment.file, below: location?.root, run)
    }

    /// Enters a finished file where the retention finds it, and lets that look.
    private func file(_ path: String, below root: String?, _ run: RecordingRun) async {
        guard let retention = process.retention else { return }
        let log = process.log
        await blockingCall("enter-file") {
            do throws(MediaError) { try retention.catalogue.add(path, root: root) } catch {
                log.error("the retention will not know of it: \(error)")
            }
        }
        await tidy(run)
    }

    /// Deletes what the owner's rules no longer keep.
    private func tidy(_ run: RecordingRun) async {
        guard let retention = process.retention else { return }
        let (rules, inUse) = (process.settings.retention, run.location.temporaryPath)
        await blockingCall("retention") { _ = retention.apply(rules, inUse: [inUse]) }
    }

    private func resolveSplit(_ number: Int, _ segment: RecordingStatus.Segment?) {
        process.facts.withLock { $0.splits.removeValue(forKey: number) }?.set(segment)
    }

    /// From here on a crash leaves something that the next start must find.
    private func enter(_ location: OutputLocation) {
        do { try process.unfinished?.add(location.temporaryPath) } catch {
            process.log.warning(
                "after a crash this recording must be repaired by hand: \(error.localizedDescription)")
        }
    }

    private func leave(_ location: OutputLocation) {
        do { try process.unfinished?.remove(location.temporaryPath) } catch {
            process.log.warning("cannot update the list of unfinished recordings: \(error.localizedDescription)")
        }
    }

    // MARK: Time

    private func tick() async {
        guard let pipeline, let hub else { return }
        let now = process.clock.nanoseconds
        pipeline.tick(now: MediaTime(nanoseconds: now))
        guard let run = currentRun else { return }
        let bytes = run.bytes(hub.files)
        process.facts.withLock { $0.disk.note(bytes: bytes, at: now) }
        if !configuration.isArmed, pipeline.start == nil, now - begun > Self.startPatience, run.failure == nil {
            stop(RecordingFailure(.devices, silence()))
        }
        if let endDeadline, now >= endDeadline, !hasHubEnded {
            self.endDeadline = nil
            hub.endNow()
        }
        let directory = run.location.directory
        if watch.isDue(at: now) { await lookAtDisk(directory, run) }
        if now - lastTidied > Self.tidyInterval {
            lastTidied = now
            await tidy(run)
        }
        if let video = pipeline.video { lookAtLoad(video, hub, pipeline, now) }
    }

    private func lookAtDisk(_ directory: String, _ run: RecordingRun) async {
        watch.reserve = process.settings.diskReserve
        switch watch.look(free: process.foundations.freeSpace(directory)) {
        case .enough: break
        case .low(let free):
            process.log.warning("the disk is getting full: \(NumberText.bytes(free)) left")
            process.hooks?.run(.diskLow, HookFacts(file: run.location.path, free: free))
            await tidy(run)
        case .full:
            // Perhaps old recordings may go.
            await tidy(run)
            guard case .full(let free) = watch.look(free: process.foundations.freeSpace(directory)) else { return }
            stop(RecordingFailure(.recording, watch.fullness(free, in: directory)))
        }
    }

    private func lookAtLoad(_ video: LiveTrack, _ hub: PacketHub, _ pipeline: LivePipeline, _ now: Int64) {
        guard overload.isNew(video.ledger[dropped: .encoder], at: now) else { return }
        process.note(
            MediaError(
                .busy, "the encoder cannot keep up with the camera", reason: "pictures are being dropped",
                wayOut: "a faster --preset, a smaller --size or a lower --frame-rate"))
        guard process.settings.overload == .stepDown, let preset = plan.stepDown() else { return }
        let moment = hub.nextCut ?? pipeline.moment(of: MediaTime(nanoseconds: now))
        process.log.notice("from the next file on x264 works with the preset \(preset)")
        video.renewEncoder(at: moment)
    }

    // MARK: The end of a recording

    /// Ends the recording as of now, for a cause.
    private func stop(_ failure: RecordingFailure) {
        guard let run = currentRun else { return }
        run.fail(failure)
        let now = process.clock.nanoseconds
        if run.requestStop(at: now) { pipeline?.stop(at: MediaTime(nanoseconds: now)) }
    }

    /// Carries the end of a recording through, as far as it has come.
    private func advance() async {
        guard let run = currentRun, let pipeline, let hub else { return }
        if !configuration.isArmed, isCameraOpen, pipeline.isVideoComplete, let camera = devices.camera {
            isCameraOpen = false
            await blockingCall("close-camera") { camera.stop() }
            pipeline.video?.finish()
        }
        if pipeline.isEnded, !isEndTold {
            isEndTold = true
            if configuration.isArmed {
                endDeadline = process.clock.nanoseconds + Self.endPatience
            } else {
                await closeDevices()
                pipeline.publishLosses()
                hub.end(at: pipeline.end ?? .zero, whenTracksEnd: true)
                pipeline.finish()
            }
        }
        if hasHubEnded { settleFailures(run) }
        if hasHubEnded, !run.hasOpenFiles { conclude(run) }
    }

    /// Files that were lost: nothing more comes that their account had to take.
    private func settleFailures(_ run: RecordingRun) {
        for number in failedFiles {
            let (location, isEmpty) = (run.location(number), run.isOpenAndEmpty(number))
            _ = run.closed(number, hub?.remove(number), isWhole: false)
            // What was synced can be repaired, unless that is nothing.
            guard let location, isEmpty else { continue }
            unlink(location.temporaryPath)
            leave(location)
        }
        failedFiles = []
    }

    private func conclude(_ run: RecordingRun) {
        if !run.hasSample, run.failure == nil {
            run.fail(
                RecordingFailure(
                    .recording,
                    MediaError(
                        .cancelled, "nothing was recorded", reason: "it was stopped before the first picture came")))
        }
        let now = process.clock.nanoseconds
        process.facts.withLock { facts in
            if let failure = run.failure { facts.error = failure.description }
            facts.closedIn = run.stopRequested.map { Double(now - $0) / 1e9 }
            facts.hasFailed = run.failure != nil && !configuration.isArmed
        }
        let status = process.status
        if !run.hasSample { run.removeMadeDirectories() }
        process.facts.withLock { facts in
            facts.lastRun = run
            facts.run = nil
            for split in facts.splits.values { split.set(nil) }
            facts.splits = [:]
        }
        pipeline?.forget()
        if let error = run.failure { process.log.error("\(error)") }
        if !configuration.isArmed { failure = run.failure }
        process.hooks?.run(
            .stop,
            HookFacts(
                file: run.hasSample ? status.file : nil, seconds: status.duration, bytes: status.bytes,
                error: run.failure?.description))
        run.hasBegun.set(run.failure)
        run.outcome.set(CaptureProcess.Outcome(status: status, failure: run.failure))
    }

    /// A recording that came to nothing before it began.
    private func discard(_ run: RecordingRun?) async {
        guard let run else { return }
        for file in hub?.files.values ?? [:].values { file.cancel() }
        run.removeMadeDirectories()
    }

    private func silence() -> MediaError {
        let name = (devices.camera ?? devices.microphone)?.summary ?? "the device"
        return MediaError(
            .deviceLost, "cannot record \(name)", reason: "it delivered nothing within 15 s",
            wayOut: "unplug it and plug it in again, or choose another one from `recorder devices`")
    }
}

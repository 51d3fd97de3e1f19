import Capture
import CommandInterface
import Foundation
import MediaTypes
import RealTime
import RecorderStorage
import Signing

/// Opens devices and encoders, and connects them to files.
extension CaptureSession {
    func open() async throws(RecordingFailure) {
        let run = configuration.isArmed ? nil : try await newRun()
        let (closed, configuration) = (devices, configuration)
        if configuration.isArmed { try checkPlace() }
        try await loadStamp()
        let opened = await blockingCall("open-devices") {
            Result { () throws(MediaError) in try closed.opened(configuration) }
        }
        do { devices = try opened.get() } catch { throw RecordingFailure(.devices, error) }
        for keeper in devices.all { log.info("\(keeper.summary)") }
        if configuration.every != nil { log.notice("left out: audio, because --every records frames only") }
        for note in configuration.notes { log.notice("\(note)") }
        if let loss = devices.microphone?.format.audio.flatMap({ configuration.lossOfChannels($0.channelCount) }) {
            log.notice("left out: \(loss)")
        }
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
        devices.recordStart(at: clock.nanoseconds)
    }

    /// Checks that files can be created, so that an armed process reports an error now and not only when a recording
    /// begins.
    private func checkPlace() throws(RecordingFailure) {
        do throws(MediaError) {
            _ = try files.location(configuration, now: foundations.wallClock(), numbersTaken: true)
        } catch {
            throw RecordingFailure(.output, error)
        }
        try readKey()
    }

    /// Loads the font of the stamp, so that a missing font is reported before a device is opened.
    private func loadStamp() async throws(RecordingFailure) {
        guard settings.frameStage.stamp.isActive else { return }
        let (stage, name) = (context.stage, configuration.name.description)
        let loaded = await blockingCall("load-font") {
            Result { () throws(MediaError) in try stage.loadStamp(name: name) }
        }
        do { try loaded.get() } catch { throw RecordingFailure(.input, error) }
    }

    /// Reads the signing key once, so that later changes of its file do not affect a recording.
    private func readKey() throws(RecordingFailure) {
        guard let name = configuration.signingKey, state.signature.key == nil else { return }
        do throws(MediaError) {
            let key = try KeyFile.signingKey(name)
            log.info("signing with the key \(key.publicKey.fingerprint)")
            state.signature.key = key
        } catch {
            throw RecordingFailure(.input, error)
        }
    }

    /// Returns the signer for the files of one recording; nil without a key.
    func makeSigner() -> RecordingSigner? {
        state.signature.key.map { key in
            RecordingSigner(
                key,
                .init(
                    recorder: configuration.name.description, software: RecorderVersion.text,
                    camera: devices.camera?.summary, microphone: devices.microphone?.summary))
        }
    }

    func newRun() async throws(RecordingFailure) -> RecordingRun {
        let now = foundations.wallClock()
        try readKey()
        do throws(MediaError) {
            let location = try files.location(settings, now: now)
            if let error = await refusal(of: location) { throw error }
            return RecordingRun(settings, first: location, now: now)
        } catch {
            throw RecordingFailure(.output, error)
        }
    }

    /// Returns an error if a recording cannot begin at a location, because none of its disks has more free space than
    /// the reserve; nil if it can begin.
    ///
    /// Before it refuses the recording, it deletes files by the user's retention rules. Otherwise nothing would delete
    /// them, because a recorder usually deletes only while it records, and the disk would stay full.
    func refusal(of location: OutputLocation) async -> MediaError? {
        guard let refusal = lackOfSpace(at: location) else { return nil }
        let (catalogues, rules, reserve) = (catalogues, settings.retention, settings.diskReserve)
        guard catalogues.isKept, !rules.keepsEverything else { return refusal }
        await blockingCall("retention") { catalogues.apply(rules, inUse: location, reserve: reserve) }
        return lackOfSpace(at: location)
    }

    private func lackOfSpace(at location: OutputLocation) -> MediaError? {
        let refusals = files.places(of: location).map { place in
            disks.refusal(free: foundations.freeSpace(place.directory), in: place.directory)
        }
        return refusals.contains { $0 == nil } ? nil : refusals[0]
    }

    /// Creates the pipeline: the encoders, and their connections to files.
    func makePipeline() async throws(RecordingFailure) {
        // This signer also signs a pre-roll that is saved before there is a recording.
        state.signature.signer = makeSigner()
        let (files, devices, plan, feed) = (files, devices, plan, feed)
        let (notices, stage) = (notices, context.stage)
        let tracks = Locked((video: LiveTrack?.none, audio: LiveTrack?.none))
        let dispatcher = PacketDispatcher(
            preRoll: configuration.preRoll, feed: feed, measuresActivity: configuration.timeLapse == nil
        ) { opening, accounts, events in
            files.begin(opening, accounts, events)
        } requestKeyframe: { time in
            tracks.withLock { $0.video }?.requestKeyframe(at: time)
        } notify: { notice in
            notices.send(.dispatcher(notice))
        }
        let makeEncoder = foundations.makeEncoder
        let open: EncoderMaker = { format, rate, sink throws(MediaError) in
            let format = try stage.recorded(format)
            guard let makeEncoder else {
                // Repeated frames must be encoded if they have a stamp, and while there are viewers: browsers cannot
                // play a stream with gaps.
                return try plan.open(format, frameRate: rate, sink: sink) { !feed.isWatched && !stage.hasStamp }
            }
            return try makeEncoder(format, rate, sink)
        }
        let failed: @Sendable (MediaType, MediaError) -> Void = { notices.send(.pipeline(.trackFailed($0, $1))) }
        let refused: @Sendable (MediaType, MediaError) -> Void = { notices.send(.pipeline(.encoderRefused($0, $1))) }
        let made = await blockingCall("open-encoders") {
            Result { () throws(MediaError) in
                let video = try devices.camera.map { camera throws(MediaError) in
                    try LiveTrack(
                        camera.format, dispatcher: dispatcher,
                        make: { format, sink throws(MediaError) in
                            try open(format, camera.frameRate?.framesPerSecond, sink)
                        },
                        failed: failed, refused: refused)
                }
                let audio = try devices.microphone.map { microphone throws(MediaError) in
                    try LiveTrack(
                        microphone.format, dispatcher: dispatcher,
                        make: { format, sink throws(MediaError) in try open(format, nil, sink) },
                        failed: failed, refused: refused)
                }
                tracks.withLock { $0 = (video, audio) }
            }
        }
        do { try made.get() } catch { throw RecordingFailure(.output, error) }
        let interval = (devices.camera?.frameRate ?? configuration.frameRate)?.interval
        let (video, audio) = tracks.withLock { $0 }
        let pipeline = LivePipeline(
            dispatcher: dispatcher, video: video, audio: audio, audioFormat: devices.microphone?.format.audio,
            frameDuration: interval, subStream: makeSubStream(), keepsGoing: configuration.isArmed,
            mayRest: configuration.staysArmed && configuration.preRoll == nil,
            leavesOutRepeats: configuration.skipsIdentical, timeLapse: configuration.timeLapse, clock: clock
        ) { notice in
            notices.send(.pipeline(notice))
        }
        update { state in
            state.pipeline = pipeline
            state.tracks = SessionState.Tracks(
                video: recordedVideo, audio: devices.microphone?.format.audio, frameInterval: interval,
                videoBudget: plan.videoBudget)
        }
    }

    /// Returns the sub-stream; nil if none is configured or there is no camera. The encoder of the sub-stream is opened
    /// when the first viewer arrives.
    private func makeSubStream() -> SubStream? {
        guard var settings = configuration.substream, let camera = devices.camera else { return nil }
        // Players compute the duration of a frame from the encoder's frame rate, so it must not exceed the camera's.
        if let most = camera.frameRate ?? configuration.frameRate { settings.frameRate = min(settings.frameRate, most) }
        let (makeEncoder, log) = (foundations.makeEncoder, log)
        return SubStream(
            settings, clock: clock,
            make: { [settings] format, sink throws(MediaError) in
                guard let makeEncoder else { return try EncoderPlan.openSubstream(format, settings, sink: sink) }
                return try makeEncoder(format, settings.frameRate.framesPerSecond, sink)
            },
            report: { log.warning("the sub-stream has failed: \($0)") })
    }

    /// The format of the recorded frames; nil without a camera, or if the camera's frames cannot be processed.
    var recordedVideo: VideoFormat? {
        devices.camera.flatMap { camera in (try? context.stage.recorded(camera.format))?.video }
    }

    func startDevices() async throws(RecordingFailure) {
        guard let pipeline else { return }
        do {
            // The microphone starts first, because audio from before the first frame is kept, but frames from before
            // the first audio are not.
            if let microphone = devices.microphone {
                try microphone.start { pipeline.microphone($0) }
                let patience = foundations.audioPatience
                if devices.camera != nil {
                    await blockingCall("await-audio") { pipeline.waitForAudio(atMost: patience) }
                }
            }
            let (latency, stage) = (context.latencies.append, context.stage)
            try devices.camera?.start { event in latency.measure { pipeline.camera(stage.apply(event)) } }
        } catch {
            throw RecordingFailure(.devices, error)
        }
    }

    func closeDevices() async {
        guard let open = devices.takeAll() else { return }
        await blockingCall("close-devices") { for device in open { device.stop() } }
    }
}

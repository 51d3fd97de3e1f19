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
        let run = configuration.isArmed ? nil : try newRun()
        let (opener, configuration) = (opener, configuration)
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
        for keeper in [devices.camera, devices.microphone].compactMap(\.self) { log.info("\(keeper.summary)") }
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
        begun = clock.nanoseconds
    }

    /// Checks that files can be created. An armed process finds out now, not at the event that it waits for.
    private func checkPlace() throws(RecordingFailure) {
        do throws(MediaError) {
            _ = try location(configuration, now: foundations.wallClock(), numbersTaken: true)
        } catch {
            throw RecordingFailure(.output, error)
        }
        try readKey()
    }

    /// Reads the key once, so that changes to its file later do not affect a recording.
    private func readKey() throws(RecordingFailure) {
        guard let name = configuration.signingKey, state.signingKey == nil else { return }
        do throws(MediaError) {
            let key = try KeyFile.signingKey(name)
            log.info("signing with the key \(key.publicKey.fingerprint)")
            state.signingKey = key
        } catch {
            throw RecordingFailure(.input, error)
        }
    }

    /// Returns the signer for the files of one recording with these devices; nil without a key.
    func makeSigner() -> RecordingSigner? {
        state.signingKey.map { key in
            RecordingSigner(
                key,
                .init(
                    recorder: configuration.name.description, software: RecorderVersion.text,
                    camera: devices.camera?.summary, microphone: devices.microphone?.summary))
        }
    }

    func newRun() throws(RecordingFailure) -> RecordingRun {
        let now = foundations.wallClock()
        try readKey()
        do throws(MediaError) {
            let location = try location(settings, now: now)
            if let error = refusal(of: location) { throw error }
            return RecordingRun(
                settings, first: location, now: now, begunAt: clock.nanoseconds)
        } catch {
            throw RecordingFailure(.output, error)
        }
    }

    /// Returns the location of the first file. With a mirror one usable disk of the two is enough if taken names are
    /// numbered, as for a service, which cannot ask the user.
    nonisolated func location(
        _ settings: RecordingConfiguration, now: Date, numbersTaken: Bool = false
    ) throws(MediaError) -> OutputLocation {
        guard let mirror = files.mirror else {
            return try OutputLocation.resolve(settings, now: now, numbersTaken: numbersTaken)
        }
        let unchecked = try OutputLocation.resolve(settings, now: now, numbersTaken: numbersTaken, isChecked: false)
        var failures: [MediaError] = []
        for check in [unchecked, mirror.location(of: unchecked)] {
            do throws(MediaError) { try check.check() } catch {
                guard error.code != .outputExists else { throw error }
                failures.append(error)
            }
        }
        if let failure = failures.first, failures.count == 2 || !settings.numbersTakenNames { throw failure }
        if let failure = failures.first {
            log.error("\(failure); the recording starts on one disk only")
        }
        return unchecked
    }

    /// The reason why a recording cannot begin there: no disk has more free space than its reserve. Otherwise nil.
    func refusal(of location: OutputLocation) -> MediaError? {
        let places = [location] + [files.mirror?.location(of: location)].compactMap(\.self)
        let refusals = places.map { place in
            watch.refusal(free: foundations.freeSpace(place.directory), in: place.directory)
        }
        return refusals.contains { $0 == nil } ? nil : refusals[0]
    }

    /// Creates the pipeline: the encoders, and their connections to files.
    func makePipeline() async throws(RecordingFailure) {
        // Also signs a pre-roll that is saved before there is a recording.
        state.signer = makeSigner()
        let (files, devices, plan, feed) = (files, devices, plan, feed)
        let notify = notify
        let tracks = Locked((video: LiveTrack?.none, audio: LiveTrack?.none))
        let dispatcher = PacketDispatcher(preRoll: configuration.preRoll, feed: feed) { opening, events in
            files.begin(opening, events)
        } requestKeyframe: { time in
            tracks.withLock { $0.video }?.requestKeyframe(at: time)
        } notify: { notice in
            notify.yield(.dispatcher(notice))
        }
        let makeEncoder = foundations.makeEncoder
        @Sendable func open(_ format: FormatDescription, _ rate: Double?) throws(MediaError) -> any EncoderGeneration {
            guard let makeEncoder else { return try plan.open(format, frameRate: rate) }
            return try makeEncoder(format, rate)
        }
        let failed: @Sendable (MediaType, MediaError) -> Void = { notify.yield(.pipeline(.trackFailed($0, $1))) }
        let made = await blockingCall("open-encoders") {
            Result { () throws(MediaError) in
                let video = try devices.camera.map { camera throws(MediaError) in
                    try LiveTrack(
                        camera.format, dispatcher: dispatcher,
                        make: { format throws(MediaError) in try open(format, camera.frameRate?.framesPerSecond) },
                        failed: failed)
                }
                let audio = try devices.microphone.map { microphone throws(MediaError) in
                    try LiveTrack(
                        microphone.format, dispatcher: dispatcher,
                        make: { format throws(MediaError) in try open(format, nil) },
                        failed: failed)
                }
                tracks.withLock { $0 = (video, audio) }
            }
        }
        do { try made.get() } catch { throw RecordingFailure(.output, error) }
        let interval = (devices.camera?.frameRate ?? configuration.frameRate)?.interval
        let (video, audio) = tracks.withLock { $0 }
        let pipeline = LivePipeline(
            dispatcher: dispatcher, video: video, audio: audio, audioFormat: devices.microphone?.format.audio,
            frameDuration: interval, keepsGoing: configuration.isArmed,
            mayRest: configuration.staysArmed && configuration.preRoll == nil, clock: clock
        ) { notice in
            notify.yield(.pipeline(notice))
        }
        self.dispatcher = dispatcher
        self.pipeline = pipeline
        update { state in
            state.pipeline = pipeline
            state.video = devices.camera?.format.video
            state.audio = devices.microphone?.format.audio
            state.frameInterval = interval
            state.videoBudget = plan.videoBudget
        }
    }

    func startDevices() async throws(RecordingFailure) {
        guard let pipeline else { return }
        do {
            // The microphone starts first: audio from before the first frame is kept, frames from before the first
            // audio are not.
            if let microphone = devices.microphone {
                try microphone.start { pipeline.microphone($0) }
                let patience = foundations.audioPatience
                if devices.camera != nil {
                    await blockingCall("await-audio") { pipeline.waitForAudio(atMost: patience) }
                }
            }
            let latency = latencies.append
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
}

import Capture
import CommandInterface
import Logging
import MediaTypes
import RealTime
import RecorderControl
import RecorderStorage

/// Opens and closes the devices, begins and ends recordings one after the other, and manages their files. Receives only
/// notices of transitions, never samples.
///
/// The session carries out the decisions of its parts. Each part owns its state and needs no lock, because only the
/// actor changes that state. The same holds for the `SessionState`. Other threads read the copy of the `SessionState`
/// that the actor publishes with each change.
actor CaptureSession {
    // MARK: Thread-safe parts

    nonisolated let context: SessionContext
    /// Begins the recording files, and lists those that are unfinished.
    nonisolated let files: SessionFiles
    /// Catalogues the finished files, and deletes the oldest.
    nonisolated let catalogues: SessionCatalogues
    /// The feed for viewers.
    nonisolated let feed = LiveFeed()
    /// The time at which the end of the session was requested, in nanoseconds of the monotonic clock.
    nonisolated let quit = Once<Int64>()
    nonisolated let notices = SessionNotices()
    private nonisolated let published: Locked<SessionState>
    let plan: EncoderPlan

    // MARK: State of the actor

    var state: SessionState { didSet { publish() } }
    var devices: SessionDevices
    /// The progress of the current recording, as far as the session tracks it. The recording's own state is its
    /// `RecordingRun`.
    var progress = RecordingProgress()
    var disks: DiskWatches
    var memory = MemoryWatch()
    var damage = DamageWatch()
    var activity = ActivityTrigger()
    private var whenStarted: (@Sendable (String?) async -> Void)?
    /// The failure that ends the session; nil if the end was requested by the user or was planned.
    var failure: RecordingFailure?

    /// Maximum wait for the first sample: some cameras need seconds to set their exposure.
    private static let startPatience = MediaTime(value: 15, timescale: 1)
    /// Maximum wait, in nanoseconds, for the recording to begin, in a session that is armed for only one recording.
    static let beginPatience: Int64 = 60_000_000_000
    /// Maximum wait, in nanoseconds, for the encoders of an armed process to encode the last sample of a recording.
    static let endPatience: Int64 = 5_000_000_000

    /// Creates a session; `run` opens its devices.
    ///
    /// - Parameters:
    ///   - unfinished: The list of files that are not finalized yet.
    ///   - retention: The retention, which catalogues finished files and deletes the oldest.
    ///   - copies: The watch that knows which files have been copied.
    init(
        _ configuration: RecordingConfiguration, opener: any DeviceFactory, log: Logger,
        unfinished: UnfinishedRecordings?, mirrored: MirroredRecordings? = nil, hooks: HookRunner?,
        retention: Retention?, mirrorRetention: Retention? = nil, copies: CopyWatch? = nil,
        foundations: SessionFoundations
    ) {
        let context = SessionContext(
            configuration: configuration, foundations: foundations, log: log, hooks: hooks,
            stage: CameraStage(
                configuration.frameStage,
                clock: FrameClock(clock: foundations.clock, wallClock: foundations.wallClock)),
            reception: { opener.reception })
        let published = Locked(SessionState(settings: configuration))
        let known = [retention?.catalogue, mirrorRetention?.catalogue].compactMap(\.self)
        let mirror = configuration.mirror.map { directory in
            MirrorPlace(directory, catalogues: known, freeSpace: foundations.freeSpace)
        }
        let files = SessionFiles(
            context: context, unfinished: unfinished, mirror: mirror, mirrored: mirrored, state: published,
            wallTimes: WallTimes(foundations))
        self.context = context
        self.published = published
        self.files = files
        catalogues = SessionCatalogues(retention, mirror: mirrorRetention, copies: copies, files)
        state = SessionState(settings: configuration)
        devices = SessionDevices(opener: opener)
        disks = DiskWatches(reserve: configuration.diskReserve)
        plan = EncoderPlan(configuration, latency: context.latencies.encode) {
            published.withLock { $0.settings.overload.mayReduceEffort }
        }
    }

    // MARK: State

    /// The current state. Thread-safe.
    nonisolated var snapshot: SessionState {
        var state = published.withLock { $0 }
        state.isQuitting = quit.current != nil
        return state
    }

    /// The current settings, some of which can change while the session runs.
    nonisolated var settings: RecordingConfiguration { published.withLock { $0.settings } }
    nonisolated var configuration: RecordingConfiguration { context.configuration }
    /// Maximum wait for the first sample.
    nonisolated var startPatience: MediaTime {
        RequestedExposure.patience(Self.startPatience, configuration.exposure)
    }
    nonisolated var foundations: SessionFoundations { context.foundations }
    nonisolated var log: Logger { context.log }
    nonisolated var hooks: HookRunner? { context.hooks }
    nonisolated var clock: any HostClock { context.foundations.clock }

    var currentRun: RecordingRun? { state.run }
    /// The pipeline; nil until the devices and encoders are open.
    var pipeline: LivePipeline? { state.pipeline }
    var dispatcher: PacketDispatcher? { state.pipeline?.dispatcher }

    /// Publishes several changes as one.
    func update(_ change: (inout SessionState) -> Void) { change(&state) }

    private func publish() {
        let state = state
        published.withLock { $0 = state }
    }

    /// Reports an error that does not end the recording. An error that ends the recording is part of its `outcome`.
    ///
    /// - Parameter fields: The event and its facts for the journal.
    func recordError(_ error: MediaError, _ fields: Logger.Metadata? = nil) {
        log.error("\(error)", metadata: fields)
        state.error = error.description
    }

    /// Reports data that is permanently lost. The recording continues and may end normally.
    func warn(_ error: MediaError) {
        log.warning("\(error)", metadata: LoggedEvent.lost.fields(error: error.description))
        state.warning = error.description
    }

    // MARK: Life

    /// Runs the session until it ends. Must be called once only.
    ///
    /// - Parameter whenStarted: Same as for `CaptureProcess.run`.
    func run(whenStarted: @escaping @Sendable (String?) async -> Void) async -> SessionOutcome {
        self.whenStarted = whenStarted
        do throws(RecordingFailure) {
            try await open()
        } catch {
            update { state in
                state.hasFailed = true
                state.error = error.description
                state.lastRun = state.run ?? state.lastRun
                state.run = nil
            }
            return SessionOutcome(status: status, failure: error)
        }
        // A device or a disk that hangs sends no event. Therefore the session checks them at intervals, and never
        // blocks.
        let ticks = Task {
            while !Task.isCancelled {
                notices.send(.tick)
                try? await Task.sleep(for: tickInterval)
            }
        }
        defer { ticks.cancel() }
        for await notice in notices.stream {
            await handle(notice)
            await advance()
            if isOver, !disks.awaitsTidy(at: clock.nanoseconds) { break }
        }
        await closeDevices()
        pipeline?.finish()
        return SessionOutcome(status: status, failure: failure)
    }

    /// Reports that the session has started. Only the first call has an effect.
    func reportStart(_ path: String?) async {
        guard let whenStarted else { return }
        self.whenStarted = nil
        await whenStarted(path)
    }

    var isOver: Bool {
        state.run == nil && (quit.current != nil || !configuration.isArmed)
    }
}

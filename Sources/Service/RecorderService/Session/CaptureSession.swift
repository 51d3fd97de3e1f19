import Capture
import CommandInterface
import Foundation
import Logging
import MediaTypes
import RealTime
import RecorderControl
import RecorderStorage

/// Opens and closes the devices, begins and ends recordings one after the other, and manages their files. Receives only
/// notices of transitions, never samples.
///
/// Only the actor changes its `SessionState`. Other threads read the copy that it publishes with each change.
actor CaptureSession {
    /// An event that the session handles.
    enum Notice: Sendable {
        case pipeline(LivePipeline.Notice)
        case dispatcher(PacketDispatcher.Notice)
        /// A recording should begin.
        case begin(RecordingRun)
        case tick
        /// A request has changed the state.
        case look
    }

    nonisolated let configuration: RecordingConfiguration
    nonisolated let foundations: SessionFoundations
    nonisolated let latencies = SessionLatencies()
    nonisolated let files: SessionFiles
    nonisolated let log: Logger
    nonisolated let hooks: HookRunner?
    nonisolated let retention: Retention?
    /// Retention for the second copies.
    nonisolated let mirrorRetention: Retention?
    nonisolated let copies: CopyWatch?
    /// The feed for viewers.
    nonisolated let feed = LiveFeed()
    /// The clock's time at which the end of the session was requested.
    nonisolated let quit = Once<Int64>()
    nonisolated let notify: AsyncStream<Notice>.Continuation
    private nonisolated let published: Locked<SessionState>

    var state: SessionState { didSet { publish() } }

    let opener: any DeviceFactory
    let notices: AsyncStream<Notice>
    var whenStarted: @Sendable (String?) async -> Void = { _ in }
    var devices = Devices()
    var dispatcher: PacketDispatcher?
    var pipeline: LivePipeline?
    var watch: DiskWatch
    /// Watches the disk of the second copies.
    var mirrorWatch: DiskWatch
    var overload = OverloadWatch()
    var memory = MemoryWatch()
    var isGivingMemoryBack = false
    let plan: EncoderPlan

    var isCameraOpen = false
    var areDevicesOpen = false
    var hasToldStart = false
    /// State of the current recording.
    var isEndTold = false
    var hasDispatchEnded = false
    var endDeadline: Int64?
    var failedFiles: Set<Int> = []
    /// Files that wait for another attempt to finalize them.
    var cutShortFiles: [CutShortFile] = []
    /// Files on two disks, by number, until both mirrored files are complete.
    var mirroredFiles: [Int: MirroredFile] = [:]
    var deadTracks: Set<MediaType> = []
    var begun: Int64 = 0
    var failure: RecordingFailure?
    var lastTidied = Int64.min / 2
    var isLookingAtDisk = false

    /// Maximum wait for the first sample: some cameras need seconds to set their exposure.
    static let startPatience: Int64 = 15_000_000_000
    /// Maximum wait of a session that is armed once for its recording to begin.
    static let beginPatience: Int64 = 60_000_000_000
    static let tidyInterval: Int64 = 60_000_000_000
    /// Maximum time for the encoders of an armed process to reach the end of a recording.
    static let endPatience: Int64 = 5_000_000_000

    struct Devices {
        var camera: DeviceKeeper?
        var microphone: DeviceKeeper?
    }

    /// Creates a session; `run` opens its devices.
    ///
    /// - Parameters:
    ///   - unfinished: The list of files that are not finalized yet.
    ///   - retention: Catalogues finished files, and deletes the oldest.
    ///   - copies: Knows which files have been copied.
    init(
        _ configuration: RecordingConfiguration, opener: any DeviceFactory, log: Logger,
        unfinished: UnfinishedRecordings?, mirrored: MirroredRecordings? = nil, hooks: HookRunner?,
        retention: Retention?, mirrorRetention: Retention? = nil, copies: CopyWatch? = nil,
        foundations: SessionFoundations
    ) {
        self.configuration = configuration
        self.opener = opener
        self.log = log
        self.hooks = hooks
        self.retention = retention
        self.mirrorRetention = mirrorRetention
        self.copies = copies
        self.foundations = foundations
        state = SessionState(settings: configuration)
        let published = Locked(SessionState(settings: configuration))
        self.published = published
        files = SessionFiles(
            name: configuration.name, foundations: foundations, latencies: latencies, unfinished: unfinished,
            mirror: configuration.mirror.map { MirrorPlace($0, freeSpace: foundations.freeSpace) }, mirrored: mirrored,
            log: log, state: published, wallTimes: WallTimes(foundations))
        watch = DiskWatch(reserve: configuration.diskReserve)
        mirrorWatch = DiskWatch(reserve: configuration.diskReserve)
        plan = EncoderPlan(configuration, latency: latencies.encode) {
            published.withLock { $0.settings.overload.mayReduceEffort }
        }
        (notices, notify) = AsyncStream.makeStream()
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
    nonisolated var clock: any HostClock { foundations.clock }
    var currentRun: RecordingRun? { state.run }

    /// Publishes several changes as one.
    func update(_ change: (inout SessionState) -> Void) { change(&state) }

    private func publish() {
        let state = state
        published.withLock { $0 = state }
    }

    /// Reports an error that does not end the recording. One that does is part of its outcome.
    func recordError(_ error: MediaError) {
        log.error("\(error)")
        state.error = error.description
    }

    /// Reports data that is permanently lost. The recording continues and may end normally.
    func warn(_ error: MediaError) {
        log.warning("\(error)")
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
        // A device or a disk that hangs sends no event; only the clock reveals it. Therefore the session checks at
        // intervals, and never blocks.
        let notify = notify
        let ticks = Task {
            while !Task.isCancelled {
                notify.yield(.tick)
                try? await Task.sleep(for: tickInterval)
            }
        }
        defer { ticks.cancel() }
        for await notice in notices {
            await handle(notice)
            await advance()
            if isOver { break }
        }
        await closeDevices()
        pipeline?.finish()
        return SessionOutcome(status: status, failure: failure)
    }

    var isOver: Bool {
        state.run == nil && (quit.current != nil || !configuration.isArmed)
    }
}

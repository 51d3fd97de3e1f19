import Capture
import CommandInterface
import Foundation
import Logging
import MediaTypes
import RealTime

/// Devices that are open, and the recordings made of them, one after the other: opens and closes the devices, begins and ends
/// recordings, looks after their files. Hears only of transitions, never of samples.
///
/// The actor alone changes its `SessionState`; everybody else reads the copy that it publishes with each change.
actor CaptureSession {
    /// What it hears.
    enum Notice: Sendable {
        case pipeline(LivePipeline.Notice)
        case dispatcher(PacketDispatcher.Notice)
        /// A recording is to begin.
        case begin(RecordingRun)
        case tick
        /// Something was asked for that changes how things stand.
        case look
    }

    nonisolated let configuration: RecordingConfiguration
    nonisolated let foundations: SessionFoundations
    nonisolated let latencies = SessionLatencies()
    nonisolated let files: SessionFiles
    nonisolated let log: Logger
    nonisolated let hooks: HookRunner?
    nonisolated let retention: Retention?
    /// Of the second copies.
    nonisolated let mirrorRetention: Retention?
    nonisolated let copies: CopyWatch?
    /// Those who watch.
    nonisolated let feed = LiveFeed()
    /// When its end was asked for, by the clock.
    nonisolated let quit = Once<Int64>()
    nonisolated let notify: AsyncStream<Notice>.Continuation
    private nonisolated let published: Locked<SessionState>

    var state: SessionState { didSet { publish() } }

    let opener: any KeeperOpener
    let notices: AsyncStream<Notice>
    var whenStarted: @Sendable (String?) async -> Void = { _ in }
    var devices = Devices()
    var dispatcher: PacketDispatcher?
    var pipeline: LivePipeline?
    var watch: DiskWatch
    /// Of the second copies' disk.
    var mirrorWatch: DiskWatch
    var overload = OverloadWatch()
    var memory = MemoryWatch()
    var isGivingMemoryBack = false
    let plan: EncoderPlan

    var isCameraOpen = false
    var areDevicesOpen = false
    var hasToldStart = false
    /// Of the recording that is going on.
    var isEndTold = false
    var hasDispatchEnded = false
    var endDeadline: Int64?
    var failedFiles: Set<Int> = []
    /// Files that wait for another attempt to finish them.
    var cutShortFiles: [CutShortFile] = []
    /// Of files on two disks, by their numbers, until both are whole.
    var mirroredFiles: [Int: MirroredFile] = [:]
    var deadTracks: Set<MediaType> = []
    var begun: Int64 = 0
    var failure: RecordingFailure?
    var lastTidied = Int64.min / 2
    var isLookingAtDisk = false

    /// How long the first sample may take: some cameras need seconds to set their exposure.
    static let startPatience: Int64 = 15_000_000_000
    /// How long what is armed once waits for its recording.
    static let beginPatience: Int64 = 60_000_000_000
    static let tidyInterval: Int64 = 60_000_000_000
    /// How long the encoders of an armed process may take to reach the end of a recording.
    static let endPatience: Int64 = 5_000_000_000

    struct Devices {
        var camera: DeviceKeeper?
        var microphone: DeviceKeeper?
    }

    /// - Parameters:
    ///   - unfinished: where files are entered until they are whole.
    ///   - retention: learns of finished files, and removes the oldest.
    ///   - copies: knows how far they are copied.
    init(
        _ configuration: RecordingConfiguration, opener: any KeeperOpener, log: Logger,
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
            published.withLock { $0.settings.overload.mayEase }
        }
        (notices, notify) = AsyncStream.makeStream()
    }

    // MARK: State

    /// How things stand. Any thread.
    nonisolated var snapshot: SessionState {
        var state = published.withLock { $0 }
        state.isQuitting = quit.current != nil
        return state
    }

    /// The settings that may have changed since it began.
    nonisolated var settings: RecordingConfiguration { published.withLock { $0.settings } }
    nonisolated var clock: any HostClock { foundations.clock }
    var currentRun: RecordingRun? { state.run }

    /// Several changes that are seen as one.
    func update(_ change: (inout SessionState) -> Void) { change(&state) }

    private func publish() {
        let state = state
        published.withLock { $0 = state }
    }

    /// An error that does not end the recording; one that does is told by its outcome.
    func note(_ error: MediaError) {
        log.error("\(error)")
        state.error = error.description
    }

    /// Something is lost that nothing brings back; the recording goes on, and its end is as good as any.
    func warn(_ error: MediaError) {
        log.warning("\(error)")
        state.warning = error.description
    }

    // MARK: Life

    /// Called once.
    ///
    /// - Parameter whenStarted: as of `CaptureProcess.run`.
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
        // A device or a disk that hangs sends no event; only the clock shows it: so this looks from time to time, and waits
        // for nothing.
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

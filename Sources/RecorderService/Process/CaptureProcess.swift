import AssetIO
import Capture
import Foundation
import Logging
import MediaTypes
import RealTime

/// A capture process: devices that are open, and the recordings made of them.
///
/// `run` is called once; everything else from any thread, at any time. `Supervisor` does what takes time.
public final class CaptureProcess: Sendable {
    /// How a recording, or the process, ended.
    public struct Outcome: Sendable {
        /// The last status; `file` is there when it says so.
        public let status: RecordingStatus
        /// nil when it ended as its owner wished.
        public let failure: RecordingFailure?
    }

    /// What is known, behind one lock.
    struct Facts {
        /// What can change while it runs is read from here.
        var configuration: RecordingConfiguration
        var run: RecordingRun?
        /// The run before, whose status is the newest there is while the process is armed.
        var lastRun: RecordingRun?
        var pipeline: LivePipeline?
        var video: VideoFormat?
        var audio: AudioFormat?
        var disk = DiskSpace()
        var error: String?
        /// What was lost although the recording goes on, or is whole.
        var warning: String?
        var videoBudget: RealTimeBudget?
        var hasFailed = false
        var isQuitting = false
        var quitRequested: Int64?
        var closedIn: Double?
        var filesFinished: Int64 = 0
        var splits: [Int: Once<RecordingStatus.Segment?>] = [:]
        var marks = 0
        var frameInterval: MediaTime?
        /// Bytes after which files should end, where they may not grow for ever.
        var largestFile: Int64?
    }

    /// What takes how long, since the process began.
    struct Latencies: Sendable {
        /// For how long a picture's hand-over holds the camera's thread.
        let append = LatencyMeter()
        let encode = LatencyMeter()
        let write = LatencyMeter()
        let sync = LatencyMeter()
    }

    /// What the supervisor hears.
    enum Notice: Sendable {
        case pipeline(LivePipeline.Notice)
        case hub(PacketHub.Notice)
        /// A recording is to begin.
        case begin(RecordingRun)
        case tick
        /// Something was asked for that changes how things stand.
        case look
    }

    /// What lies beneath. Tests put others in its place.
    struct Foundations: Sendable {
        var clock: any HostClock = MonotonicClock()
        var wallClock: @Sendable () -> Date = { Date() }
        /// How many nanoseconds the camera's start waits for the microphone's first block.
        var soundPatience: Int64 = 300_000_000
        /// nil: those that the configuration asks for.
        var makeEncoder: EncoderMaker?
        var makeFile:
            @Sendable (SegmentOpening, SegmentFile.Plan, @escaping @Sendable (SegmentEvent) -> Void) -> any SegmentSink =
                { SegmentFile($0, $1, events: $2) }
        /// Bytes that the disk of a directory has left.
        var freeSpace: @Sendable (String) -> Int64? = { DiskSpace.free(at: $0) }
        /// Bytes after which a file in a directory should end; nil where it may grow.
        var largestFile: @Sendable (String) -> Int64? = { DiskSpace.largestFile(at: $0) }
    }

    public let configuration: RecordingConfiguration
    let opener: any KeeperOpener
    let log: Logger
    let foundations: Foundations
    let facts: Locked<Facts>
    let notices: AsyncStream<Notice>
    let notify: AsyncStream<Notice>.Continuation
    /// Where files are entered until they are whole.
    let unfinished: UnfinishedRecordings?
    let hooks: HookRunner?
    let latencies = Latencies()
    let retention: Retention?
    let reloader: (@Sendable () throws(RecordingFailure) -> RecordingConfiguration)?
    private let outcome = Once<Outcome>()

    /// - Parameters:
    ///   - retention: learns of finished files, and removes the oldest.
    ///   - reloader: reads the configuration again.
    init(
        configuration: RecordingConfiguration, opener: any KeeperOpener, log: Logger,
        unfinished: UnfinishedRecordings? = nil, hooks: HookRunner? = nil, retention: Retention? = nil,
        reloader: (@Sendable () throws(RecordingFailure) -> RecordingConfiguration)? = nil,
        foundations: Foundations = Foundations()
    ) {
        self.configuration = configuration
        self.opener = opener
        self.log = log
        self.unfinished = unfinished
        self.hooks = hooks
        self.retention = retention
        self.reloader = reloader
        self.foundations = foundations
        facts = Locked(Facts(configuration: configuration))
        (notices, notify) = AsyncStream.makeStream()
    }

    /// Records, or waits armed, until its owner, its duration or a fault ends it.
    ///
    /// - Parameter whenStarted: called once: with the path, when the first sample is in the file; an armed process calls it
    ///   with nil, when its devices deliver. Not called when nothing ever comes.
    public func run(whenStarted: @escaping @Sendable (String?) async -> Void) async -> Outcome {
        let result = await Supervisor(self, whenStarted: whenStarted).run()
        outcome.set(result)
        return result
    }

    /// Waits until the process is over and its files are whole, or it is certain that they never will be.
    public func finished() async -> Outcome { await outcome.value() }

    /// Asks for the end of the process, and of the recording as of this moment. Returns at once; repeating it changes
    /// nothing.
    public func requestStop() { end(quits: true) }

    /// - Returns: the recording that this ends, or that is ending.
    @discardableResult
    func end(quits: Bool) -> RecordingRun? {
        let now = clock.nanoseconds
        let (run, pipeline) = facts.withLock { facts in
            if quits, facts.quitRequested == nil { facts.quitRequested = now }
            facts.isQuitting = facts.isQuitting || quits
            return (facts.run, facts.pipeline)
        }
        // Not by way of the supervisor: the next picture may be on its way already. While the devices are still being
        // opened there is no pipeline; the supervisor looks when it is there.
        if run?.requestStop(at: now) == true { pipeline?.stop(at: MediaTime(nanoseconds: now)) }
        notify.yield(.look)
        return run
    }

    var clock: any HostClock { foundations.clock }

    /// The settings that may have changed since the process began.
    var settings: RecordingConfiguration { facts.withLock { $0.configuration } }

    /// An error that does not end the recording; one that does is told by its outcome.
    func note(_ error: MediaError) {
        log.error("\(error)")
        facts.withLock { $0.error = error.description }
    }

    /// Something is lost that nothing brings back; the recording goes on, and its end is as good as any.
    func warn(_ error: MediaError) {
        log.warning("\(error)")
        facts.withLock { $0.warning = error.description }
    }

    // MARK: Files

    /// The wall clock at a moment of the recording.
    func wallClock(at moment: MediaTime, of pipeline: LivePipeline?) -> Date {
        let now = MediaTime(nanoseconds: clock.nanoseconds)
        let ago = ((pipeline?.moment(of: now) ?? now) - moment).seconds
        return foundations.wallClock().addingTimeInterval(-ago)
    }

    /// Begins a file of the recording. Called under the hub's lock: constant work.
    func makeFile(
        _ opening: SegmentOpening, _ events: @escaping @Sendable (SegmentEvent) -> Void
    ) -> any SegmentSink {
        let (run, pipeline) = facts.withLock { ($0.run, $0.pipeline) }
        let created = wallClock(at: opening.start, of: pipeline)
        run?.opening(opening, started: created)
        let number = opening.number
        let place =
            run?.place(of: number) { [weak self] in self?.enter($0) }
            ?? SegmentPlace { _ throws(MediaError) in
                throw MediaError(.invalidState, "cannot begin a file", reason: "there is no recording")
            }
        return foundations.makeFile(opening, plan(place, created: created, hasVideo: opening.video != nil), events)
    }

    /// From here on a crash leaves something that the next start must find. Touches the disk.
    func enter(_ path: String) {
        do { try unfinished?.add(path) } catch {
            log.warning("after a crash this recording must be repaired by hand: \(error.localizedDescription)")
        }
    }

    /// It is whole, or nothing of it is worth a repair. Touches the disk.
    func leave(_ path: String) {
        do { try unfinished?.remove(path) } catch {
            log.warning("cannot update the list of unfinished recordings: \(error.localizedDescription)")
        }
    }

    func plan(_ place: SegmentPlace, created: Date, hasVideo: Bool) -> SegmentFile.Plan {
        SegmentFile.Plan(
            place: place, created: created,
            timecode: hasVideo ? timecode : nil, writeLatency: latencies.write, syncLatency: latencies.sync,
            metadata: [
                MetadataItem(key: MetadataItem.creationDateKey, value: Self.timestamp(created)),
                MetadataItem(key: MetadataItem.softwareKey, value: RecorderVersion.text),
                MetadataItem(key: MetadataItem.titleKey, value: configuration.name.description),
            ])
    }

    /// The time of day, counted in the camera's frames.
    private var timecode: TimecodeFormat? {
        let interval = facts.withLock { $0.frameInterval } ?? MediaTime(value: 1, timescale: 30)
        let framesPerSecond = max(1, min(255, Int((1 / interval.seconds).rounded())))
        // 29.97 and 59.94 frames a second fall behind the clock unless numbers are left out.
        let isNTSC =
            framesPerSecond % 30 == 0 && interval == MediaTime(value: 1001, timescale: Int32(framesPerSecond * 1000))
        return TimecodeFormat(frameDuration: interval, framesPerSecond: framesPerSecond, dropsFrames: isNTSC)
    }

    /// Where files end, by the settings of this moment.
    func limits() -> PacketHub.Limits {
        let rules = settings.segments
        // Only where it is asked for: the calendar's first use costs milliseconds and megabytes.
        let clock = rules.duration == nil ? nil : SegmentClock(rules: rules)
        return PacketHub.Limits(
            cut: { [weak self] start, earliest in
                guard let self, let clock else { return nil }
                let pipeline = facts.withLock { $0.pipeline }
                func next(after start: MediaTime) -> MediaTime? {
                    clock.length(from: wallClock(at: start, of: pipeline)).map { start + $0 }
                }
                guard let end = next(after: start), end < earliest else { return next(after: start) }
                // Longer already than the rule allows, which is new: the next moment that it names.
                return rules.isAligned ? next(after: earliest) : earliest
            }, size: rules.size, largest: facts.withLock { $0.largestFile })
    }
}

import AssetIO
import Capture
import MediaCodecs
import MediaTypes
import RealTime
import Synchronization

/// Applies the frame stage to every frame of the camera before any other part of the recorder gets the frame.
///
/// `apply` runs on the camera's thread only; everything else can run on any thread. A change takes effect with the next
/// frame, so that each frame has either the former masks or the new ones.
final class CameraStage: @unchecked Sendable {
    // Unchecked: `stage`, `seen`, `clock`, `frames`, `damagedInRow` and `isStamped` belong to the camera's thread.
    // Everything else is protected by a lock, or atomic.

    private struct Shared {
        var settings: FrameStageSettings
        /// Draws the stamp of the settings; only the camera's thread uses it.
        var stamp: StampPainter?
        /// The settings in the order in which they took effect, each with the time of its first frame by the devices'
        /// clock.
        var changes: [(time: MediaTime, settings: FrameStageSettings)] = []
        var damage: DamagedSamples?
    }

    private let shared: Locked<Shared>
    /// The number of the newest settings.
    private let version = Atomic(1)
    /// The time of the newest frame, in nanoseconds of the devices' clock; `Int64.min` before the first one.
    private let newest = Atomic(Int64.min)
    /// The stage for the settings with the number `seen`; nil if they change nothing.
    private var stage: FrameStage?
    private var seen = 0
    private var clock: FrameClock
    /// The number of frames so far.
    private var frames = 0
    /// The number of frames that could not be processed since the last one that could.
    private var damagedInRow: Int64 = 0
    private var isStamped = false

    /// The maximum number of remembered changes. A file that began before an older change lacks that change in its
    /// metadata.
    private static let most = 256

    init(_ settings: FrameStageSettings, clock: FrameClock = FrameClock()) {
        shared = Locked(Shared(settings: settings))
        self.clock = clock
    }

    // MARK: The camera's thread

    /// Returns the event with the frame to record. A frame that cannot be processed is reported as lost, and never
    /// passed on.
    func apply(_ event: DeviceEvent) -> DeviceEvent {
        guard case .sample(let sample) = event else { return event }
        frames += 1
        // `change` writes the version first and reads the time afterwards. So it knows the time of each frame that has
        // the former settings.
        newest.store(sample.presentationTime.nanoseconds, ordering: .sequentiallyConsistent)
        if version.load(ordering: .sequentiallyConsistent) != seen { adopt(from: sample.presentationTime) }
        guard let stage else { return event }
        // The wall clock is read right after the capture of the frame, because it may be set later.
        let wall = isStamped ? clock.wall(at: sample.presentationTime) : 0
        do throws(MediaError) {
            let processed = try stage.process(sample, FrameMoment(wall: wall, number: frames))
            if damagedInRow > 0 {
                damagedInRow = 0
                shared.withLock { $0.damage = nil }
            }
            return .sample(processed)
        } catch {
            damagedInRow += 1
            shared.withLock { [damagedInRow] in $0.damage = DamagedSamples(count: damagedInRow, error: error) }
            return .lost(count: sample.ledgerCount, cause: .corrupt, near: sample.presentationTime)
        }
    }

    private func adopt(from time: MediaTime) {
        let (settings, stamp, number) = shared.withLock { shared in
            shared.changes.append((time, shared.settings))
            if shared.changes.count > Self.most { shared.changes.removeFirst() }
            return (shared.settings, shared.stamp, version.load(ordering: .relaxed))
        }
        seen = number
        isStamped = stamp != nil
        if !settings.isActive {
            stage = nil
            damagedInRow = 0
            shared.withLock { $0.damage = nil }
        } else if let stage {
            stage.change(to: settings, stamp: stamp)
        } else {
            stage = FrameStage(settings, stamp: stamp)
        }
    }

    // MARK: Any thread

    /// Loads the font of the stamp, if the settings have one. Must end before the first frame. Blocks for milliseconds.
    ///
    /// - Throws: the reason why the font cannot be used.
    func loadStamp(name: String) throws(MediaError) {
        let settings = shared.withLock { $0.settings }
        guard settings.stamp.isActive else { return }
        let painter = try StampPainter(settings.stamp, name: name)
        shared.withLock { shared in
            if shared.settings.stamp == settings.stamp { shared.stamp = painter }
        }
    }

    /// Sets the changes that are made to frames, from the next frame on.
    ///
    /// - Parameter stamp: Draws the stamp of the new settings; nil if the stamp does not change.
    /// - Returns: The time of the last frame that may have the former settings, in the devices' clock. That frame may
    ///   not have reached the pipeline yet. nil if there was no frame.
    @discardableResult
    func change(to settings: FrameStageSettings, stamp: StampPainter? = nil) -> MediaTime? {
        shared.withLock { shared in
            guard settings != shared.settings else { return }
            if let stamp { shared.stamp = stamp }
            if !settings.stamp.isActive { shared.stamp = nil }
            shared.settings = settings
            version.wrappingAdd(1, ordering: .sequentiallyConsistent)
        }
        let last = newest.load(ordering: .sequentiallyConsistent)
        return last == .min ? nil : MediaTime(nanoseconds: last)
    }

    /// Returns the format of the recorded frames for a device that delivers frames of `format`.
    ///
    /// - Throws: the reason why frames of this format cannot be processed.
    func recorded(_ format: FormatDescription) throws(MediaError) -> FormatDescription {
        try Self.recorded(format, shared.withLock { $0.settings })
    }

    static func recorded(
        _ format: FormatDescription, _ settings: FrameStageSettings
    ) throws(MediaError) -> FormatDescription {
        guard settings.isActive, let video = format.video else { return format }
        return .video(try FrameStage.format(of: video, settings))
    }

    /// The frames that could not be processed since the last one that could; nil if there are none.
    var damage: DamagedSamples? { shared.withLock { $0.damage } }

    /// True if text is drawn on each frame from now on.
    var hasStamp: Bool { shared.withLock { $0.settings.stamp.isActive } }

    /// The settings in the order in which they took effect, each with the time of its first frame by the devices'
    /// clock.
    var changes: [(time: MediaTime, settings: FrameStageSettings)] {
        shared.withLock { shared in
            shared.changes.isEmpty ? [(.zero, shared.settings)] : shared.changes
        }
    }
}

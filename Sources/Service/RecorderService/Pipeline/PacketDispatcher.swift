import Foundation
import MediaTypes
import RealTime
import RecorderControl
import RecorderStorage

/// Connects the encoders to the files. Carries out the decisions of `PacketRouter` in order, under a lock that is held
/// only briefly.
///
/// Encoder threads pass packets to `accept`; everything else can be called from any thread. The dispatcher does not
/// access files itself.
final class PacketDispatcher: Sendable {
    /// Events for the supervisor (`CaptureSession`). Never sent per packet.
    enum Notice: Sendable {
        case segment(Int, RecordingFileEvent)
        /// The end time was sent to every file of the recording.
        case ended
    }

    /// The limits at which files end, by time and by size.
    struct Limits: Sendable {
        /// Returns the time at which a file must end; nil without a limit. The first argument is the file's start. The
        /// result is never before the second argument.
        var cut: @Sendable (MediaTime, MediaTime) -> MediaTime?
        /// Maximum bytes of media.
        var size: Int64?
        /// Maximum size in bytes that the file's disk and this process's limits allow for the file, minus the space for
        /// the index.
        var largest: Int64?

        static let none = Limits(cut: { _, _ in nil })
    }

    private struct State {
        var router: PacketRouter
        var files: [Int: any RecordingFileSink] = [:]
        var limits = Limits.none
        /// The accounts of the current recording, or of the previous one.
        var accounts = TrackAccounts()
        /// The activity of the video; nil if it is not measured.
        var activity: ActivityLog?
        var actions: [RouterAction] = []
    }

    private let state: Locked<State>
    private let feed: LiveFeed
    private let makeFile: RecordingFileMaker
    private let requestKeyframe: @Sendable (MediaTime) -> Void
    private let notify: @Sendable (Notice) -> Void

    /// Creates a dispatcher.
    ///
    /// - Parameters:
    ///   - backlogLimit: Maximum bytes that may wait for the disk; above it GOPs are dropped.
    ///   - feed: Receives every packet for the viewers.
    ///   - measuresActivity: True if the activity is measured from the sizes of the video's packets.
    ///   - requestKeyframe: Requests a keyframe from the encoder, at a time of the recording.
    init(
        preRoll: MediaTime?, backlogLimit: Int64 = 64 << 20, feed: LiveFeed = LiveFeed(),
        measuresActivity: Bool = false, makeFile: @escaping RecordingFileMaker,
        requestKeyframe: @escaping @Sendable (MediaTime) -> Void, notify: @escaping @Sendable (Notice) -> Void
    ) {
        state = Locked(
            State(
                router: PacketRouter(preRoll: preRoll, backlogLimit: backlogLimit),
                activity: measuresActivity ? ActivityLog() : nil))
        self.feed = feed
        self.makeFile = makeFile
        self.requestKeyframe = requestKeyframe
        self.notify = notify
    }

    // MARK: Encoder threads

    /// Routes one packet.
    ///
    /// - Parameter isWanted: Returns false if the packet must be dropped. It is called under the lock, so that no
    ///   packet of a track is routed after `trackRests`.
    func accept(_ packet: SampleBuffer, isWanted: () -> Bool = { true }) {
        var isTaken = false
        changing { state in
            isTaken = isWanted()
            guard isTaken else { return }
            if packet.format.mediaType == .video { state.activity?.add(packet) }
            let backlog = Self.backlog(of: state.files)
            state.router.accept(packet, backlog: backlog, into: &state.actions)
        }
        if isTaken { feed.accept(packet) }
    }

    /// Records that the video continues at this time without a packet, because the frame repeats the one before.
    ///
    /// - Parameter isWanted: Same as for `accept`.
    func continueVideo(at time: MediaTime, isWanted: () -> Bool = { true }) {
        changing { state in
            guard isWanted() else { return }
            state.activity?.addRepeated(at: time)
            state.router.continueVideo(at: time, into: &state.actions)
        }
    }

    func trackEnded(_ mediaType: MediaType) {
        changing { $0.router.trackEnded(mediaType, into: &$0.actions) }
    }

    // MARK: Any thread

    func trackBegan(_ mediaType: MediaType, format: FormatDescription?) {
        changing { $0.router.trackBegan(mediaType, format: format, into: &$0.actions) }
    }

    /// Records that a track sends no packets until it wakes.
    func trackRests(_ mediaType: MediaType) {
        changing { $0.router.trackRests(mediaType, into: &$0.actions) }
    }

    /// Records that the track's encoder will begin with the next sample.
    func trackWakes(_ mediaType: MediaType) { state.withLock { $0.router.trackWakes(mediaType) } }

    func trackReturns(_ mediaType: MediaType) { state.withLock { $0.router.trackReturns(mediaType) } }

    /// Begins a recording.
    ///
    /// - Parameter accounts: The accounts of the new recording. They count every packet and every drop from now on.
    func begin(at time: MediaTime?, limits: Limits, accounts: TrackAccounts = TrackAccounts()) {
        changing { state in
            state.limits = limits
            state.accounts = accounts
            state.router.begin(at: time, into: &state.actions)
        }
    }

    /// Sets new limits, which apply from now on, also to the open file.
    func setLimits(_ limits: Limits, at now: MediaTime) {
        changing { state in
            state.limits = limits
            guard let start = state.router.openSegment?.start else { return }
            limit(start, from: now, &state)
        }
    }

    /// Declares that the recording shows no frame from this time on. Called before the first such packet.
    func expectEnd(at time: MediaTime) { state.withLock { $0.router.expectEnd(at: time) } }

    func end(at time: MediaTime, whenTracksEnd: Bool = false) {
        changing { $0.router.end(at: time, whenTracksEnd: whenTracksEnd, into: &$0.actions) }
    }
    func endNow() { changing { $0.router.endNow(into: &$0.actions) } }
    /// Records that frames have other masks from this time on.
    func masksChanged(at time: MediaTime) { state.withLock { $0.router.masksChangedAt = time } }
    func cut() { changing { $0.router.cut(soon: &$0.actions) } }

    /// Handles a file that cannot grow. Another file gets the samples that this file did not write, and all later
    /// samples.
    ///
    /// - Parameter isLost: True if the file is lost with everything in it.
    func moveOn(from segment: Int, isLost: Bool) {
        changing { state in
            guard let file = state.files[segment] else { return }
            let isOpen = state.router.openSegment?.number == segment
            let rest = file.rest(all: isLost && isOpen)
            state.router.moveOn(from: segment, rest, end: file.end, into: &state.actions)
        }
    }

    func addChapter(_ title: String, at time: MediaTime) {
        changing { $0.router.addChapter(title, at: time, into: &$0.actions) }
    }

    func recordLoss(_ mediaType: MediaType, _ count: Int64, _ cause: DropCause) {
        changing { $0.router.recordLoss(mediaType, count, cause, into: &$0.actions) }
    }

    /// Returns the last part of the kept packets for a separate file; nil if there are none. A part that begins after a
    /// change of masks contains no frame with former masks.
    func keptPackets(last duration: MediaTime?) -> (
        opening: RecordingFileOpening, packets: [SampleBuffer], end: MediaTime
    )? {
        let (preRoll, masksChangedAt) = state.withLock { ($0.router.preRoll, $0.router.masksChangedAt) }
        return preRoll.excerpt(last: duration, masksChangedAt: masksChangedAt)
    }

    /// Adds a viewer, beginning at the newest keyframe that has the current masks. The viewer receives all encoded
    /// packets, even without a recording.
    ///
    /// - Parameters:
    ///   - limit: Maximum bytes that may wait for the viewer.
    ///   - wallClock: Same as for `LiveWatcher`.
    /// - Returns: The viewer, and the formats that are already known.
    func watch(
        limit: Int, wallClock: @escaping @Sendable (MediaTime) -> Double?
    ) -> (watch: LiveWatch, formats: [FormatDescription]) {
        state.withLock { state in
            let router = state.router
            // Frames with former masks may still be in the encoder, or on their way to the feed.
            let watcher = LiveWatcher(
                limit: limit, hasVideo: router.video.isLive, from: router.masksChangedAt, wallClock: wallClock)
            // These packets are sent under the lock, so that later packets come after them. A packet that has not
            // reached the feed yet comes twice, and the stream removes the second one.
            for packet in router.newestGroup { watcher.accept(packet) }
            feed.add(watcher)
            let formats = [
                router.video.isLive ? router.video.format : nil, router.audio.isLive ? router.audio.format : nil,
            ]
            return (LiveWatch(watcher, of: feed), formats.compactMap(\.self))
        }
    }

    /// The file that is being written.
    var openSegment: RecordingFileOpening? { state.withLock { $0.router.openSegment } }
    /// The time at which the open file ends because of its time limit; nil without a time limit.
    var nextCut: MediaTime? {
        state.withLock { $0.router.openSegment == nil ? nil : $0.router.nextCut }
    }
    var preRoll: (duration: MediaTime, bytes: Int) {
        state.withLock { ($0.router.preRoll.duration, $0.router.preRoll.byteCount) }
    }
    /// The number of bytes that files have received but not written.
    var backlog: Int64 { state.withLock { Self.backlog(of: $0.files) } }

    /// Removes a file that is finalized or lost.
    func remove(_ segment: Int) -> (any RecordingFileSink)? {
        state.withLock { state in
            _ = state.activity?.take(segment)
            return state.files.removeValue(forKey: segment)
        }
    }
    var files: [Int: any RecordingFileSink] { state.withLock { $0.files } }

    /// Removes and returns the activity of a file that has ended; nil if it was not measured.
    func takeActivity(of segment: Int) -> ActivitySeries? { state.withLock { $0.activity?.take(segment) } }

    /// Returns the activity of the seconds after `index`. If `index` is nil, returns only that of the newest second.
    func activity(after index: Int64?) -> [ActivityMeter.Second] {
        state.withLock { $0.activity?.seconds(after: index) } ?? []
    }

    // MARK: -

    private static func backlog(of files: [Int: any RecordingFileSink]) -> Int64 {
        files.values.reduce(0) { $0 + $1.backlog }
    }

    private func changing(_ body: (inout State) -> Void) {
        let hasEnded = state.withLock { state -> Bool in
            body(&state)
            return carryOut(&state)
        }
        if hasEnded { notify(.ended) }
    }

    /// Carries out the actions under the lock, so that packets of two encoder threads stay in order. Each action takes
    /// constant time.
    ///
    /// - Returns: true if the recording has ended.
    private func carryOut(_ state: inout State) -> Bool {
        var hasEnded = false
        var index = 0
        // Opening a file adds actions.
        while index < state.actions.count {
            let action = state.actions[index]
            index += 1
            switch action {
            case .open(let opening): open(opening, &state)
            case .append(let segment, let packet): state.files[segment]?.append(packet)
            case .continueVideo(let segment, let time): state.files[segment]?.continueVideo(at: time)
            case .loss(let segment, let type, let count, let cause):
                state.accounts[type].lose(count, cause, in: segment)
            case .assignLosses(let segment, let type): state.accounts[type].assignLosses(to: segment)
            case .chapter(let segment, let title, let time): state.files[segment]?.addChapter(title, at: time)
            case .close(let segment, let end):
                state.files[segment]?.finish(at: end)
                state.activity?.end(segment)
            case .requestKeyframe(let time): requestKeyframe(time)
            case .ended: hasEnded = true
            }
        }
        state.actions.removeAll(keepingCapacity: true)
        return hasEnded
    }

    private func open(_ opening: RecordingFileOpening, _ state: inout State) {
        let notify = notify
        let accounts = state.accounts.begin(opening.number)
        if opening.video != nil { state.activity?.begin(opening.number, at: opening.start) }
        state.files[opening.number] = makeFile(opening, accounts) { notify(.segment(opening.number, $0)) }
        // A file that only stores the rest of an earlier file receives no other packets.
        guard state.router.openSegment?.number == opening.number else { return }
        limit(opening.start, from: opening.start, &state)
    }

    /// Sets the time and the size at which the open file must end, from the current limits. The file began at `start`,
    /// and ends at `now` at the earliest.
    private func limit(_ start: MediaTime, from now: MediaTime, _ state: inout State) {
        let limits = state.limits
        state.router.limit(
            until: limits.cut(start, max(start, now)), size: limits.size, largest: limits.largest, into: &state.actions)
    }
}

import Foundation
import MediaTypes
import RealTime

/// Between the encoders and the files: carries out what `PacketRouter` decides, in order, under one short lock.
///
/// Encoder threads hand packets in; everything else may come from any thread. No file is touched here.
final class PacketDispatcher: Sendable {
    /// What the one who supervises must know; never sent for an ordinary packet.
    enum Notice: Sendable {
        case segment(Int, RecordingFileEvent)
        /// Every file of the recording has been told its end.
        case ended
    }

    /// Where files end by the clock and by their size.
    struct Limits: Sendable {
        /// The end of a file that starts at the first moment of the recording, not before the second one; nil for none.
        var cut: @Sendable (MediaTime, MediaTime) -> MediaTime?
        /// Bytes of media.
        var size: Int64?
        /// Bytes of the file, as its disk or this process's limits allow them: with room for the index.
        var largest: Int64?

        static let none = Limits(cut: { _, _ in nil })
    }

    private struct State {
        var router: PacketRouter
        var files: [Int: any RecordingFileSink] = [:]
        var limits = Limits.none
        var dropped: [MediaType: Ledger] = [:]
        var actions: [RouterAction] = []
    }

    private let state: Locked<State>
    private let feed: LiveFeed
    private let makeFile: RecordingFileMaker
    private let askForKeyFrame: @Sendable (MediaTime) -> Void
    private let notify: @Sendable (Notice) -> Void

    /// - Parameters:
    ///   - backlogLimit: bytes that files may be behind; then groups of pictures are dropped.
    ///   - feed: takes every packet too, for those who watch.
    ///   - askForKeyFrame: of the encoder, at a moment of the recording.
    init(
        preRoll: MediaTime?, backlogLimit: Int64 = 64 << 20, feed: LiveFeed = LiveFeed(),
        makeFile: @escaping RecordingFileMaker,
        askForKeyFrame: @escaping @Sendable (MediaTime) -> Void, notify: @escaping @Sendable (Notice) -> Void
    ) {
        state = Locked(State(router: PacketRouter(preRoll: preRoll, backlogLimit: backlogLimit)))
        self.feed = feed
        self.makeFile = makeFile
        self.askForKeyFrame = askForKeyFrame
        self.notify = notify
    }

    // MARK: Encoder threads

    /// - Parameter isWanted: asked under the lock, so that no packet follows its track's `trackRests`.
    func take(_ packet: SampleBuffer, isWanted: () -> Bool = { true }) {
        var isTaken = false
        changing { state in
            isTaken = isWanted()
            guard isTaken else { return }
            let backlog = Self.backlog(of: state.files)
            state.router.take(packet, backlog: backlog, into: &state.actions)
        }
        if isTaken { feed.take(packet) }
    }

    func trackEnded(_ mediaType: MediaType) {
        changing { $0.router.trackEnded(mediaType, into: &$0.actions) }
    }

    // MARK: Any thread

    func trackBegan(_ mediaType: MediaType, format: FormatDescription?) {
        changing { $0.router.trackBegan(mediaType, format: format, into: &$0.actions) }
    }

    /// Nobody needs a track's packets: none comes until it wakes.
    func trackRests(_ mediaType: MediaType) {
        changing { $0.router.trackRests(mediaType, into: &$0.actions) }
    }

    /// Its encoder begins with the next sample.
    func trackWakes(_ mediaType: MediaType) { state.withLock { $0.router.trackWakes(mediaType) } }

    func trackReturns(_ mediaType: MediaType) { state.withLock { $0.router.trackReturns(mediaType) } }

    func begin(at time: MediaTime?, limits: Limits) {
        changing { state in
            state.limits = limits
            state.dropped = [:]
            state.router.begin(at: time, into: &state.actions)
        }
    }

    /// Other limits from this moment on, for the file that is open too.
    func setLimits(_ limits: Limits, at now: MediaTime) {
        changing { state in
            state.limits = limits
            guard let start = state.router.openSegment?.start else { return }
            limit(start, from: now, &state)
        }
    }

    func end(at time: MediaTime, whenTracksEnd: Bool = false) {
        changing { $0.router.end(at: time, whenTracksEnd: whenTracksEnd, into: &$0.actions) }
    }
    func endNow() { changing { $0.router.endNow(into: &$0.actions) } }
    func cut() { changing { $0.router.cut(soon: &$0.actions) } }

    /// A file can take no more: what it did not write goes to another one, and what follows too.
    ///
    /// - Parameter isLost: the file is gone with all that was in it.
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

    func noteLoss(_ mediaType: MediaType, _ count: Int64, _ cause: DropCause) {
        changing { $0.router.noteLoss(mediaType, count, cause, into: &$0.actions) }
    }

    /// The last so much of what is kept, as a file of its own. nil when nothing is kept.
    func keptPackets(last duration: MediaTime?) -> (
        opening: RecordingFileOpening, packets: [SampleBuffer], end: MediaTime
    )? {
        state.withLock { $0.router.preRoll }.excerpt(last: duration)
    }

    /// Lets somebody watch, from the newest key frame on: what comes behind the encoders, whether it is recorded or not.
    ///
    /// - Parameters:
    ///   - limit: bytes that may wait for the watcher.
    ///   - wallClock: as of `LiveWatcher`.
    /// - Returns: the formats too, as far as they are known.
    func watch(
        limit: Int, wallClock: @escaping @Sendable (MediaTime) -> Double?
    ) -> (watch: LiveWatch, formats: [FormatDescription]) {
        state.withLock { state in
            let router = state.router
            let watcher = LiveWatcher(limit: limit, hasVideo: router.isVideoLive, wallClock: wallClock)
            // Under the lock: what comes now is behind these. One that is on its way to the feed just now comes twice, which
            // the stream notices.
            for packet in router.preRoll.newestGroup { watcher.take(packet) }
            feed.add(watcher)
            let formats = [
                router.isVideoLive ? router.videoFormat : nil, router.isAudioLive ? router.audioFormat : nil,
            ]
            return (LiveWatch(watcher, of: feed), formats.compactMap(\.self))
        }
    }

    /// The file that is being written.
    var openSegment: RecordingFileOpening? { state.withLock { $0.router.openSegment } }
    /// Where it ends by the clock.
    var nextCut: MediaTime? {
        state.withLock { $0.router.openSegment == nil ? nil : $0.router.nextCut }
    }
    var preRoll: (duration: MediaTime, bytes: Int) {
        state.withLock { ($0.router.preRoll.duration, $0.router.preRoll.byteCount) }
    }
    /// Losses that no file knows of, once the recording has ended.
    func dropped(_ mediaType: MediaType) -> Ledger { state.withLock { $0.dropped[mediaType] ?? Ledger() } }

    /// Bytes that files have been given and have not written.
    var backlog: Int64 { state.withLock { Self.backlog(of: $0.files) } }

    /// Forgets a file that is whole or lost.
    func remove(_ segment: Int) -> (any RecordingFileSink)? { state.withLock { $0.files.removeValue(forKey: segment) } }
    var files: [Int: any RecordingFileSink] { state.withLock { $0.files } }

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

    /// Under the lock, so that what two encoders bring about stays in order; each action is constant work.
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
            case .loss(let segment, let type, let count, let cause):
                state.files[segment]?.noteLoss(type, count: count, cause: cause)
            case .chapter(let segment, let title, let time): state.files[segment]?.addChapter(title, at: time)
            case .close(let segment, let end): state.files[segment]?.finish(at: end)
            case .askForKeyFrame(let time): askForKeyFrame(time)
            case .dropped(let type, let count, let cause):
                state.dropped[type, default: Ledger()].captured += count
                state.dropped[type, default: Ledger()][dropped: cause] += count
            case .ended: hasEnded = true
            }
        }
        state.actions.removeAll(keepingCapacity: true)
        return hasEnded
    }

    private func open(_ opening: RecordingFileOpening, _ state: inout State) {
        let notify = notify
        state.files[opening.number] = makeFile(opening) { notify(.segment(opening.number, $0)) }
        // One that only takes what an earlier file could not is not where packets go.
        guard state.router.openSegment?.number == opening.number else { return }
        limit(opening.start, from: opening.start, &state)
    }

    /// Where the open file ends, which began at one moment, from another one on.
    private func limit(_ start: MediaTime, from now: MediaTime, _ state: inout State) {
        let limits = state.limits
        state.router.limit(
            until: limits.cut(start, max(start, now)), size: limits.size, largest: limits.largest, into: &state.actions)
    }
}

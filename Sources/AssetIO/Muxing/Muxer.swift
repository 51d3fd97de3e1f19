package import MediaTypes
import MovieFile
import RealTime
import Synchronization

/// Owns one movie's file: coded packets with their track go in, fragments come out, on one thread.
///
/// Packets may come before the file is open, which may take a disk seconds: they wait in the one queue that there is. All
/// calls are constant work and safe from any thread; only `push` waits, for a disk that is behind.
package final class Muxer: Sendable {
    /// Bytes of packets that may wait for the disk. Behind it a source that can wait does so, and from one that cannot, whole
    /// groups of pictures are dropped.
    package static let backlogLimit = 64 << 20

    struct State {
        var destination: (any MovieDestination)?
        var chapters: ChapterList
        var sessionStart: MediaTime?
        var sessionEnd: MediaTime?
        /// What is not shown, within the session.
        var cuts: [TimeRange] = []
        /// Where the last real samples of tracks end, where that is not where their last packets do.
        var ends: [Int: MediaTime] = [:]
        var phase = Phase.running
    }

    enum Phase { case running, finishing, over }

    let configuration: MuxerConfiguration
    let tracks: MuxerTracks
    let packets: PacketQueue
    let state: Locked<State>
    let fileSize = Atomic<Int64>(0)

    /// - Parameter isSegmented: fragments are segments, each of which can be decoded on its own.
    init(_ configuration: MuxerConfiguration, tracks: MuxerTracks, isSegmented: Bool = false) {
        self.configuration = configuration
        self.tracks = tracks
        packets = PacketQueue(
            policy: Self.policy(configuration, tracks, isSegmented), tracks: tracks.all.count, sparse: tracks.sparse,
            ordering: Self.ordering(configuration, tracks),
            interval: configuration.fragmentInterval, limit: Self.limit(configuration, isSegmented))
        state = Locked(State(chapters: ChapterList(openingTitle: configuration.openingChapterTitle)))
    }

    private static func ordering(_ configuration: MuxerConfiguration, _ tracks: MuxerTracks) -> PacketQueue.Ordering {
        guard !configuration.orderedTracks.isEmpty else { return PacketQueue.Ordering() }
        return PacketQueue.Ordering(
            tracks: configuration.orderedTracks, titles: configuration.isRecoverable ? nil : tracks.chapters,
            writesStalled: configuration.isRecoverable)
    }

    /// A source that can wait needs no more than keeps the disk busy; a segment is in memory until it is whole.
    private static func limit(_ configuration: MuxerConfiguration, _ isSegmented: Bool) -> Int {
        if isSegmented { return backlogLimit * 4 }
        return configuration.isLive ? backlogLimit : 24 << 20
    }

    private static func policy(
        _ configuration: MuxerConfiguration, _ tracks: MuxerTracks, _ isSegmented: Bool
    ) -> any FragmentCutting {
        if isSegmented {
            return SegmentPolicy(
                interval: configuration.segmentInterval, start: configuration.segmentStart, reference: tracks.reference)
        }
        return FragmentPolicy(
            interval: configuration.fragmentInterval, initialInterval: configuration.initialFragmentInterval,
            reference: tracks.reference, hasFormat: tracks.all.map(\.isAnnounced),
            // Where nobody is in a hurry every track's format is waited for: a second pass begins late.
            patience: MediaTime(value: configuration.isPatient ? 600 : 5, timescale: 1), sparse: tracks.sparse,
            isStrict: configuration.movesPackets)
    }

    // MARK: Session

    /// Those that are known before the session begins.
    func setChapters(_ chapters: ChapterList) {
        var chapters = chapters
        chapters.setOpeningTitle(configuration.openingChapterTitle)
        state.withLock { [chapters] in $0.chapters = chapters }
    }

    /// Says which moment of the packets' clock is time 0 of the movie. Once, before the first packet.
    ///
    /// - Parameter timeOfDay: since midnight, at that moment, for the timecode.
    func begin(at start: MediaTime, timeOfDay: @autoclosure () -> MediaTime) {
        state.withLock { state in
            state.sessionStart = start
            let chapters = state.chapters.begin(at: start)
            // Under the lock, so that titles stay in order.
            if let index = tracks.chapters { for sample in chapters { take(sample, index) } }
        }
        if let (index, format) = tracks.timecode {
            take(format.sample(frameNumber: format.frameNumber(atTimeOfDay: timeOfDay()), at: start), index)
            endTrack(index)
        }
    }

    /// Begins a chapter. Of no effect on a movie without a track for them.
    ///
    /// - Throws: `invalidSample` for a time that is none, is taken or does not rise.
    package func addChapter(_ title: String, at time: MediaTime) throws(MediaError) {
        guard let index = tracks.chapters else { return }
        try state.withLock { state throws(MediaError) in
            // Under the lock, so that titles stay in order.
            for sample in try state.chapters.add(title, at: time) { take(sample, index) }
        }
    }

    /// Nothing more comes, of any track: the movie becomes whole.
    ///
    /// - Parameters:
    ///   - end: cuts the presentation at this moment; nil: it ends with its last sample.
    ///   - cuts: what is not shown, on the packets' clock and in order: what follows comes at once.
    package func finish(at end: MediaTime?, without cuts: [TimeRange] = []) {
        state.withLock { state in
            (state.sessionEnd, state.cuts) = (end, cuts)
            if state.phase == .running { state.phase = .finishing }
        }
        if let index = tracks.chapters { endTrack(index) }
        packets.finish()
    }

    /// Gives the movie up and removes what was written of it: while it runs, and of one that failed what holds nothing.
    ///
    /// - Returns: whether there was something to give up.
    @discardableResult
    package func cancel() -> Bool {
        let destination = state.withLock { state -> (any MovieDestination)?? in
            switch state.phase {
            case .running:
                state.phase = .over
                return .some(state.destination)
            case .finishing: return nil
            case .over: return bytesWritten == 0 && !configuration.isContinuedElsewhere ? .some(state.destination) : nil
            }
        }
        guard let destination else { return false }
        packets.stop()
        destination?.discard()
        return true
    }

    /// Removes the file of a movie that failed, where that holds no byte. Touches the disk.
    ///
    /// - Returns: whether nothing of it is left.
    package func discardEmpty() -> Bool {
        let (isOver, destination) = state.withLock { ($0.phase == .over, $0.destination) }
        guard isOver, bytesWritten == 0 else { return false }
        return destination?.discardEmpty() ?? true
    }

    /// Ends the thread, and leaves what was written as a crash would.
    package func abandon() {
        state.withLock { $0.phase = .over }
        packets.stop()
    }

    // MARK: Packets

    /// Takes a packet at once, whatever there is: whoever cannot wait looks at `hasRoom` or `backlog` before.
    package func take(_ packet: SampleBuffer, _ track: Int, accountsFor count: Int64 = 0) {
        push(TrackSample(track: track, sample: packet, accountsFor: count), mayWait: false) { _ in }
    }

    /// Takes a packet, once there is room. `waiting` is told before and after.
    func push(_ packet: TrackSample, mayWait: Bool = true, waiting: (Bool) -> Void) {
        packets.push(packet, mayWait: mayWait, waiting: waiting)
    }

    /// A track gives nothing more. Called once for each.
    ///
    /// - Parameter end: where its last real sample ends, where that is not where its last packet does.
    package func endTrack(_ index: Int, at end: MediaTime? = nil) {
        if let end { state.withLock { $0.ends[index] = end } }
        packets.endTrack(index)
    }

    /// The next packet of a track is of another session.
    func beginSession(ofTrack index: Int) { packets.beginSession(ofTrack: index) }

    /// Ends the open segment before the first key frame that comes after a moment of the packets' clock; nil: before the next.
    func flushSegment(after time: MediaTime?) { packets.flushSegment(after: time) }

    // MARK: Figures. No lock is taken for them.

    package var hasRoom: Bool { packets.hasRoom }
    /// Whether a packet of a track would be taken without waiting.
    func hasRoom(for track: Int) -> Bool { packets.hasRoom(for: track) }
    /// Much waits for packets of a track: its source is not to be held back.
    func isAwaited(_ track: Int) -> Bool { packets.isAwaited(track) }
    /// Bytes of packets that are not in the file yet.
    package var backlog: Int64 { Int64(packets.backlog) }
    /// Bytes in the file.
    package var bytesWritten: Int64 { fileSize.load(ordering: .relaxed) }
    /// Where the movie is once it is whole, where that is not where it was to be.
    package var otherPath: String? {
        state.withLock { $0.destination }.flatMap { $0.finalPath == $0.name ? nil : $0.finalPath }
    }

    /// Waits, on the muxer's thread, for as long, or until nobody wants the movie any more.
    ///
    /// - Returns: whether somebody does.
    package func waits(nanoseconds: Int64) -> Bool { packets.waits(nanoseconds: nanoseconds) }
}

/// Who has a movie muxed, and keeps the account of what goes into it. Told by the muxer's thread, and may take its time.
package protocol MuxerClient: AnyObject, Sendable {
    /// The file is there, and nothing is in it yet.
    func muxerOpened()
    /// The first fragment is in the file and synced: from here on the movie exists.
    func muxerBegan()
    /// So many captured samples of a track are safe.
    func muxerWrote(_ count: Int64, of track: Int)
    /// So many have no place in the file.
    func muxerLeftOut(_ count: Int64, of track: Int, _ error: MediaError)
    /// There is room again, after there was none.
    func muxerHasRoom()
    /// Much waits for packets of these tracks: what held their sources back does so no longer.
    func muxerAwaits(_ tracks: [Int])
    /// What every track lost, for whoever opens the movie later. Asked once, when everything is written; empty: nothing can
    /// be lost.
    var accounts: [MediaType: Ledger] { get }
    /// What the movie is to say about itself that was not known when it began; takes the place of items with the same keys.
    /// Asked once, when everything is written.
    var closingMetadata: [MetadataItem] { get }
    /// What the movie's clock has to tell since it was last asked, for a crash; nil: nothing. Asked before each fragment.
    var passingClock: RecordingClock? { get }
    /// The movie is whole and has its name.
    func muxerCompleted()
    /// Nothing more can be written; what was synced stays.
    func muxerFailed(_ error: MediaError)
}

extension MuxerClient {
    package var closingMetadata: [MetadataItem] { [] }
    package var passingClock: RecordingClock? { nil }
    package func muxerAwaits(_ tracks: [Int]) {}
}

package import MediaTypes
import MovieFile
import RealTime
import Synchronization

/// Muxes one movie: it accepts packets with their track, and writes fragments on its one thread.
///
/// Packets may come before the file is open, because a disk may take seconds to open it. They wait in the only queue.
/// All calls are constant work and safe from any thread. Only `push` waits, if the disk lags.
package final class Muxer: Sendable {
    /// The number of packet bytes that may wait for the disk. Beyond this limit, sources that can wait do so, and
    /// packets from other sources are dropped in complete GOPs.
    package static let backlogLimit = 64 << 20

    struct State {
        var destination: (any MovieDestination)?
        var chapters: ChapterList
        var sessionStart: MediaTime?
        var sessionEnd: MediaTime?
        /// The time ranges within the session that are not shown.
        var cuts: [TimeRange] = []
        /// The end of each track's last real sample, if it differs from the end of the track's last packet.
        var ends: [Int: MediaTime] = [:]
        var phase = Phase.running
        /// True while the thread writes the first fragment.
        var isBeginning = false
    }

    enum Phase { case running, finishing, over }

    let configuration: MuxerConfiguration
    let tracks: MuxerTracks
    let packets: PacketQueue
    let state: Locked<State>
    let fileSize = Atomic<Int64>(0)

    /// - Parameter isSegmented: true if fragments are segments, each of which can be decoded on its own.
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

    /// Returns the queue's limit in bytes. For sources that can wait, the limit is only large enough to keep the disk
    /// busy. For segments it is larger, because a segment is kept in memory until it is complete.
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
            // Without a deadline, the muxer waits longer for every track's format. If a track is encoded in two passes,
            // its format may come late, because the second pass begins late.
            patience: MediaTime(value: configuration.isPatient ? 600 : 5, timescale: 1), sparse: tracks.sparse,
            isStrict: configuration.movesPackets)
    }

    // MARK: Session

    /// Sets the chapters that are known before the session begins.
    func setChapters(_ chapters: ChapterList) {
        var chapters = chapters
        chapters.setOpeningTitle(configuration.openingChapterTitle)
        state.withLock { [chapters] in $0.chapters = chapters }
    }

    /// Sets which time of the packets' clock is time 0 of the movie. Called once, before the first packet.
    ///
    /// - Parameter timeOfDay: the time since midnight at that time, for the timecode.
    func begin(at start: MediaTime, timeOfDay: @autoclosure () -> MediaTime) {
        state.withLock { state in
            state.sessionStart = start
            let chapters = state.chapters.begin(at: start)
            // The lock keeps titles in order.
            if let index = tracks.chapters { for sample in chapters { accept(sample, index) } }
        }
        if let (index, format) = tracks.timecode {
            accept(format.sample(frameNumber: format.frameNumber(atTimeOfDay: timeOfDay()), at: start), index)
            endTrack(index)
        }
    }

    /// Begins a chapter. Has no effect on a movie without a chapter track.
    ///
    /// - Throws: `invalidSample` for a time that is invalid, is the time of another chapter, or does not increase.
    package func addChapter(_ title: String, at time: MediaTime) throws(MediaError) {
        guard let index = tracks.chapters else { return }
        try state.withLock { state throws(MediaError) in
            // The lock keeps titles in order.
            for sample in try state.chapters.add(title, at: time) { accept(sample, index) }
        }
    }

    /// Finalizes the movie: no more packets come on any track.
    ///
    /// - Parameters:
    ///   - end: the end of the presentation; nil if it ends with its last sample.
    ///   - cuts: the time ranges that are not shown, on the packets' clock and in order. The presentation continues
    ///     without a gap.
    package func finish(at end: MediaTime?, without cuts: [TimeRange] = []) {
        state.withLock { state in
            (state.sessionEnd, state.cuts) = (end, cuts)
            if state.phase == .running { state.phase = .finishing }
        }
        if let index = tracks.chapters { endTrack(index) }
        packets.finish()
    }

    /// Cancels the movie and removes its file. The file of a movie that has failed is removed only if it is empty.
    ///
    /// - Returns: true if there was a movie to cancel.
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

    /// Removes the file of a movie that failed, if it is empty. Accesses the disk.
    ///
    /// - Returns: true if no file is left.
    package func discardEmpty() -> Bool {
        guard staysEmpty else { return false }
        return state.withLock { $0.destination }?.discardEmpty() ?? true
    }

    /// True if the movie is over without a fragment, and none will be written.
    var staysEmpty: Bool { state.withLock { $0.phase == .over && !$0.isBeginning } && bytesWritten == 0 }

    /// Ends the thread without finalizing; the written data can be repaired as after a crash.
    package func abandon() {
        state.withLock { $0.phase = .over }
        packets.stop()
    }

    // MARK: Packets

    /// Accepts a packet immediately, whatever the backlog. Callers that cannot wait check `hasRoom` or `backlog` before
    /// they call.
    package func accept(_ packet: SampleBuffer, _ track: Int, accountsFor count: Int64 = 0) {
        push(TrackSample(track: track, sample: packet, accountsFor: count), mayWait: false) { _ in }
    }

    /// Accepts a packet once there is room. `waiting` is called before and after the wait.
    func push(_ packet: TrackSample, mayWait: Bool = true, waiting: (Bool) -> Void) {
        packets.push(packet, mayWait: mayWait, waiting: waiting)
    }

    /// Ends a track. Called once for each track.
    ///
    /// - Parameter end: the end of the track's last real sample, if that differs from the end of its last packet.
    package func endTrack(_ index: Int, at end: MediaTime? = nil) {
        if let end, end.isNumeric { state.withLock { $0.ends[index] = end } }
        packets.endTrack(index)
    }

    /// Marks the next packet of a track as the first of another session.
    func beginSession(ofTrack index: Int) { packets.beginSession(ofTrack: index) }

    /// Ends the open segment before the first keyframe after a time of the packets' clock, or before the next keyframe
    /// if the time is nil.
    func flushSegment(after time: MediaTime?) { packets.flushSegment(after: time) }

    // MARK: Counters, read without a lock

    package var hasRoom: Bool { packets.hasRoom }
    /// Returns true if a packet of a track would be accepted without waiting.
    func hasRoom(for track: Int) -> Bool { packets.hasRoom(for: track) }
    /// Returns true if many other packets wait for this track, so its source must not be held back.
    func isAwaited(_ track: Int) -> Bool { packets.isAwaited(track) }
    /// The number of packet bytes that are not in the file yet.
    package var backlog: Int64 { Int64(packets.backlog) }
    /// The number of bytes in the file.
    package var bytesWritten: Int64 { fileSize.load(ordering: .relaxed) }
    /// The path of the finalized movie, if it differs from the planned one.
    package var otherPath: String? {
        state.withLock { $0.destination }.flatMap { $0.finalPath == $0.name ? nil : $0.finalPath }
    }

    /// Blocks the muxer's thread for the given time, or until the movie is cancelled or abandoned.
    ///
    /// - Returns: true if the time has passed.
    package func waits(nanoseconds: Int64) -> Bool { packets.waits(nanoseconds: nanoseconds) }
}

/// The owner of a muxer. It keeps the ledgers. All calls come on the muxer's thread, and may take long.
package protocol MuxerClient: AnyObject, Sendable {
    /// Called when the file has been created and is empty.
    func muxerOpened()
    /// Called when the first fragment is in the file and synced: from here on the movie exists.
    func muxerBegan()
    /// Called when a number of captured samples of a track is safely stored.
    func muxerWrote(_ count: Int64, of track: Int)
    /// Called when the file cannot store a number of captured samples.
    func muxerLeftOut(_ count: Int64, of track: Int, _ error: MediaError)
    /// Called when there is room again, after there was none.
    func muxerHasRoom()
    /// Called when many packets wait for these tracks, so that their sources must not be held back any longer.
    func muxerAwaits(_ tracks: [Int])
    /// The ledger of every track, stored for later readers of the movie. Read once, when everything is written. Empty
    /// if samples cannot be lost.
    var accounts: [MediaType: Ledger] { get }
    /// Metadata that was not known when the movie began; it replaces items with the same keys. Read once, when
    /// everything is written.
    var closingMetadata: [MetadataItem] { get }
    /// The movie's clock readings since the last call, which are stored in case of a crash; nil if there are none. Read
    /// before each fragment.
    var passingClock: RecordingClock? { get }
    /// Called when the movie is finalized and has its final name.
    func muxerCompleted()
    /// Called when the movie cannot be written any more; its synced data remains.
    func muxerFailed(_ error: MediaError)
}

extension MuxerClient {
    package var closingMetadata: [MetadataItem] { [] }
    package var passingClock: RecordingClock? { nil }
    package func muxerAwaits(_ tracks: [Int]) {}
}

import AssetIO
import Foundation
import Glibc
import MediaTypes
import MovieFile
import RealTime
import RecorderStorage

/// One file of a recording. It owns the muxer, and counts packets in the accounts of the tracks. It also keeps the
/// samples that the next file needs if this file fails.
///
/// The muxer's thread creates the file, because a disk may take seconds to do so. Packets wait in the muxer meanwhile.
/// The caller of `append` checks `backlog` to limit the number of waiting packets.
final class RecordingFile: RecordingFileSink {
    /// The parameters for creating the file, except its location.
    struct Plan: Sendable {
        var place: RecordingFilePlace
        /// The accounts that count the file's packets.
        var accounts = FileAccounts()
        /// The wall clock at the file's start.
        var created = Date()
        var timecode: TimecodeFormat?
        var writeLatency = LatencyMeter()
        var syncLatency = LatencyMeter()
        var metadata: [MetadataItem] = []
        /// Returns the metadata that replaces `metadata` when the file ends.
        var closingMetadata: (@Sendable (_ end: MediaTime) -> [MetadataItem])?
        /// Returns the clock readings since the last call. They are stored while the file grows.
        var passingClock: (@Sendable () -> RecordingClock?)?
        /// Signs the file; nil if it is not signed.
        var sealing: (any FragmentSealing)?
    }

    private struct State {
        var end: MediaTime?
        /// The time of the latest frame that repeats the frame of the last packet; nil if there is none.
        var still: MediaTime?
        /// The nominal duration of a frame.
        var frameDuration: MediaTime?
        var unwritten = UnwrittenPackets()
        /// True if unwritten packets are kept, until `rest` is called.
        var keepsRest = true
        /// Decides which packets before the file's start are needed.
        var videoEntry = SessionEntry(isPassthrough: true)
        var audioEntry = SessionEntry(isPassthrough: true)

        init(start: MediaTime) {
            videoEntry.begin(at: start)
            audioEntry.begin(at: start)
        }

        /// Returns the end of the video in a file that ends at `end`; nil if the video ends with the last packet's own
        /// duration.
        func videoEnd(_ end: MediaTime) -> MediaTime? {
            guard let still else { return nil }
            let duration = frameDuration ?? .zero
            // The last frame lasts until the time of the next frame, which is known only approximately.
            return still + duration + duration >= end ? end : still + duration
        }

        func canDecode(_ packet: SampleBuffer) -> Bool {
            (packet.format.mediaType == .video ? videoEntry : audioEntry).canDecode(packet)
        }

        /// Returns the part of a packet that goes into the file, and the earlier packets that it depends on.
        mutating func admit(_ packet: SampleBuffer) -> (sample: SampleBuffer, earlier: [SampleBuffer])? {
            packet.format.mediaType == .video ? Self.admit(packet, &videoEntry) : Self.admit(packet, &audioEntry)
        }

        private static func admit(
            _ packet: SampleBuffer, _ entry: inout SessionEntry
        ) -> (sample: SampleBuffer, earlier: [SampleBuffer])? {
            entry.isOutside(packet) || !entry.canDecode(packet) ? nil : entry.admit(packet)
        }
    }

    private let opening: RecordingFileOpening
    private let plan: Plan
    private let events: @Sendable (RecordingFileEvent) -> Void
    private let recording: Muxer.Recording
    /// The muxer; nil if the file has no tracks.
    private let muxer: Muxer?
    private let state: Locked<State>

    init(_ opening: RecordingFileOpening, _ plan: Plan, events: @escaping @Sendable (RecordingFileEvent) -> Void) {
        self.opening = opening
        self.plan = plan
        self.events = events
        state = Locked(State(start: opening.start))
        var recording = Muxer.Recording()
        recording.fileType = plan.place.fileType
        recording.video = opening.video
        recording.audio = opening.audio
        recording.timecode = plan.timecode
        recording.fragmentInterval = Self.fragmentInterval
        recording.created = plan.created
        recording.metadata = plan.metadata
        recording.openingChapterTitle = "Start"
        recording.sealing = plan.sealing
        self.recording = recording
        let made = Result { () throws(MediaError) in try Muxer(recording) }
        muxer = try? made.get()
        do throws(MediaError) {
            let muxer = try made.get()
            muxer.begin(at: opening.start, date: plan.created)
            try muxer.start(for: self) { () throws(MediaError) in try self.makeFile(muxer) }
        } catch {
            muxerFailed(error)
        }
    }

    /// The target length of a fragment. With the encoder's delay and frames that are hard to encode, about 1.5 s pass
    /// between capturing a frame and writing it. With a keyframe every two seconds, each GOP has three fragments.
    private static let fragmentInterval = MediaTime(value: 7, timescale: 10)

    /// Creates the file, or waits until its directory exists again. Runs on the muxer's thread.
    private func makeFile(_ muxer: Muxer) throws(MediaError) -> any MovieDestination {
        let events = events
        var isTold = false
        var left = plan.place.delay
        while left > 0, plan.place.mayWait() {
            let part = min(left, 100_000_000)
            guard muxer.waits(nanoseconds: part) else {
                throw MediaError(.cancelled, "cannot create a file", reason: "the recording was cancelled")
            }
            left -= part
        }
        plan.place.clear()
        while true {
            do throws(MediaError) {
                return try plan.place.take { location throws(MediaError) in
                    if let mirror = plan.place.mirror { return try makeFiles(muxer, location, mirror) }
                    return try muxer.makeFile(
                        at: location.path, overwrites: location.overwrites, writeLatency: plan.writeLatency,
                        syncLatency: plan.syncLatency, whenMoved: { events(.moved($0)) })
                }
            } catch {
                guard error.isMissingPlace, plan.place.mayWait() else { throw error }
                if !isTold { events(.waiting(error)) }
                isTold = true
                guard muxer.waits(nanoseconds: plan.place.patience) else { throw error }
            }
        }
    }

    /// Creates the same file on two disks.
    private func makeFiles(
        _ muxer: Muxer, _ location: OutputLocation, _ mirror: MirrorPlace
    ) throws(MediaError) -> any MovieDestination {
        let (place, events) = (plan.place, events)
        let locations = [location, mirror.location(of: location)]
        let files = locations.enumerated().map { index, location in
            Muxer.MirroredOutput(
                path: location.path, overwrites: location.overwrites,
                prepare: { () throws(MediaError) in
                    try mirror.prepare(location) { location throws(MediaError) in
                        if index == 0 { try place.prepare(location) } else { _ = try location.makeDirectories() }
                    }
                },
                refusal: { mirror.refusal(beside: location.path, reserve: place.reserve()) },
                whenMoved: { if index == 0 { events(.moved($0)) } },
                changed: { events(.mirroredFile(index, $0)) })
        }
        return try muxer.makeFiles(files, writeLatency: plan.writeLatency, syncLatency: plan.syncLatency)
    }

    // MARK: Encoder threads

    func append(_ packet: SampleBuffer) {
        guard let index = recording.index(packet.format.mediaType) else { return }
        let account = plan.accounts[packet.format.mediaType]
        let admitted = state.withLock { state in
            if !state.canDecode(packet) { account.lose(packet.ledgerCount, .corrupt) }
            let admitted = state.admit(packet)
            if let admitted {
                for packet in admitted.earlier { enter(packet, account, &state) }
                enter(admitted.sample, account, &state)
            }
            return admitted
        }
        guard !account.isClosed, let muxer, let admitted else { return }
        for packet in admitted.earlier { muxer.accept(packet, index, accountsFor: packet.ledgerCount) }
        muxer.accept(admitted.sample, index, accountsFor: admitted.sample.ledgerCount)
    }

    private func enter(_ packet: SampleBuffer, _ account: TrackAccount.File, _ state: inout State) {
        account.enter(packet)
        if packet.format.mediaType == .video { (state.still, state.frameDuration) = (nil, packet.duration) }
        keep(packet, &state)
    }

    func continueVideo(at time: MediaTime) { state.withLock { $0.still = max($0.still ?? time, time) } }

    /// Adds a chapter. A chapter whose time is not after that of the previous chapter is dropped.
    func addChapter(_ title: String, at time: MediaTime) { try? muxer?.addChapter(title, at: time) }

    func finish(at end: MediaTime) {
        let videoEnd = state.withLock { state in
            state.end = end
            return state.videoEnd(end)
        }
        for type in [MediaType.video, .audio] {
            if let index = recording.index(type) { muxer?.endTrack(index, at: type == .video ? videoEnd : nil) }
        }
        muxer?.finish(at: end)
    }

    func cancel() { if muxer?.cancel() != false { plan.accounts.close() } }

    func discardEmpty() -> Bool { muxer?.discardEmpty() ?? true }

    func rest(all: Bool) -> UnwrittenRest {
        let accounts = plan.accounts
        return state.withLock { state in
            let rest = state.unwritten.rest(
                video: accounts[.video].written, audio: accounts[.audio].written, all: all)
            state.unwritten = UnwrittenPackets()
            state.keepsRest = false
            for (type, part) in rest.accounts { accounts[type].release(part) }
            return rest
        }
    }

    private func keep(_ packet: SampleBuffer, _ state: inout State) {
        guard state.keepsRest else { return }
        state.unwritten.append(packet)
        // Kept packets can be released only up to a keyframe, so trimming after every packet would be useless.
        guard
            opening.video == nil
                ? state.unwritten.count % 64 == 0 : packet.isKeyframe && packet.format.mediaType == .video
        else { return }
        state.unwritten.trim(video: plan.accounts[.video].written, audio: plan.accounts[.audio].written)
    }

    var end: MediaTime? { state.withLock { $0.end } }
    var bytesWritten: Int64 { muxer?.bytesWritten ?? 0 }
    var backlog: Int64 { muxer?.backlog ?? 0 }
    var mirroredFiles: [MirroredFileStatus] { muxer?.mirroredFiles ?? [] }
}

/// The muxer's notices, which are called on its thread.
extension RecordingFile: MuxerClient {
    func muxerOpened() { events(.opened) }
    func muxerBegan() { events(.began) }

    func muxerWrote(_ count: Int64, of track: Int) {
        let type: MediaType = track == recording.index(.video) ? .video : .audio
        plan.accounts[type].recordWritten(count)
    }

    /// Does nothing, because every track of a recording is known before its file begins.
    func muxerLeftOut(_ count: Int64, of track: Int, _ error: MediaError) {}
    func muxerHasRoom() {}

    var accounts: [MediaType: Ledger] {
        var accounts: [MediaType: Ledger] = [:]
        for type in [MediaType.video, .audio] where recording.index(type) != nil {
            accounts[type] = plan.accounts[type].ledger
        }
        return accounts
    }

    var closingMetadata: [MetadataItem] { plan.closingMetadata?(end ?? .positiveInfinity) ?? [] }

    var passingClock: RecordingClock? { plan.passingClock?() }

    func muxerCompleted() {
        if let path = muxer?.otherPath { events(.renamed(path)) }
        events(.finished)
    }

    func muxerFailed(_ error: MediaError) {
        plan.accounts.close()
        // If not even one sample fits into this file, the next file could not store one either.
        let isCutShort = error.isContinuable && (error.underlying != .errno(EFBIG) || bytesWritten > 0)
        events(isCutShort ? .cutShort(error) : .failed(error))
    }
}

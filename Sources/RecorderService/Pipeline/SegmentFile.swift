import AssetIO
import Foundation
import Glibc
import MediaTypes
import RealTime

/// One file of a recording, written by an `AssetWriter` that takes packets as they are.
///
/// A file is opened on a thread of its own, since a disk may take seconds for that; packets wait in memory meanwhile. How
/// much may wait is decided by the one who appends, from `backlog`.
final class SegmentFile: SegmentSink {
    /// How the file is made, once it is known where.
    struct Plan: Sendable {
        var place: SegmentPlace
        /// The wall clock at the file's start.
        var created = Date()
        var timecode: TimecodeFormat?
        var writeLatency = LatencyMeter()
        var syncLatency = LatencyMeter()
        var metadata: [MetadataItem] = []
    }

    private enum Order {
        case packet(SampleBuffer)
        case loss(MediaType, Int64, DropCause)
        case chapter(String, MediaTime)
        case finish(MediaTime)
    }

    private struct Writing {
        let writer: AssetWriter
        let video: AssetWriterInput?
        let audio: AssetWriterInput?
    }

    private struct State {
        var waiting: [Order] = []
        var writing: Writing?
        /// Orders go to the writer at once.
        var isOpen = false
        var isOver = false
        var end: MediaTime?
        var given: Int64 = 0
        var unwritten = UnwrittenPackets()
        /// Nobody has asked for the rest yet.
        var keepsRest = true
        /// What was refused, or came when nothing could be written any more.
        var video = Ledger()
        var audio = Ledger()
    }

    private let opening: SegmentOpening
    private let plan: Plan
    private let events: @Sendable (SegmentEvent) -> Void
    private let state = Locked(State())

    init(_ opening: SegmentOpening, _ plan: Plan, events: @escaping @Sendable (SegmentEvent) -> Void) {
        self.opening = opening
        self.plan = plan
        self.events = events
        Task { await self.write() }
    }

    // MARK: Encoder threads

    func append(_ packet: SampleBuffer) { give(.packet(packet)) }

    func noteLoss(_ mediaType: MediaType, count: Int64, cause: DropCause) { give(.loss(mediaType, count, cause)) }

    func addChapter(_ title: String, at time: MediaTime) { give(.chapter(title, time)) }

    func finish(at end: MediaTime) { give(.finish(end)) }

    func cancel() {
        let writer = state.withLock { state in
            state.isOver = true
            state.waiting = []
            return state.writing?.writer
        }
        writer?.cancelWriting()
        writer?.removeIfEmpty()
    }

    func rest(all: Bool) -> UnwrittenRest {
        state.withLock { state in
            let (video, audio) = Self.written(state)
            let rest = state.unwritten.rest(video: video, audio: audio, all: all)
            state.unwritten = UnwrittenPackets()
            state.keepsRest = false
            for (type, account) in rest.accounts {
                if type == .video { state.video = state.video - account } else { state.audio = state.audio - account }
            }
            return rest
        }
    }

    private static func written(_ state: State) -> (video: Int64, audio: Int64) {
        (state.writing?.video?.ledger.written ?? 0, state.writing?.audio?.ledger.written ?? 0)
    }

    var end: MediaTime? { state.withLock { $0.end } }
    var bytesWritten: Int64 { state.withLock { $0.writing?.writer }?.bytesWritten ?? 0 }

    var backlog: Int64 {
        let (given, writer, isOver) = state.withLock { ($0.given, $0.writing?.writer, $0.isOver) }
        return isOver ? 0 : max(0, given - (writer?.bytesWritten ?? 0))
    }

    func ledger(_ mediaType: MediaType) -> Ledger {
        let (own, input) = state.withLock { state in
            mediaType == .video ? (state.video, state.writing?.video) : (state.audio, state.writing?.audio)
        }
        return own + (input?.ledger ?? Ledger())
    }

    private func give(_ order: Order) {
        state.withLock { state in
            if case .packet(let packet) = order { keep(packet, &state) }
            if case .finish(let end) = order { state.end = end }
            if state.isOver { return Self.account(for: order, in: &state) }
            // Under the lock, so that orders stay in order; each is constant work.
            if state.isOpen, let writing = state.writing {
                carryOut(order, writing)
            } else {
                state.waiting.append(order)
            }
        }
    }

    private func keep(_ packet: SampleBuffer, _ state: inout State) {
        state.given += Int64(packet.byteCount)
        guard state.keepsRest else { return }
        state.unwritten.append(packet)
        // Now and then: what is kept is let go of from key frame to key frame.
        guard
            opening.video == nil
                ? state.unwritten.count % 64 == 0 : packet.isKeyFrame && packet.format.mediaType == .video
        else { return }
        let (video, audio) = Self.written(state)
        state.unwritten.trim(video: video, audio: audio)
    }

    /// What comes when the file is lost is lost by the disk, unless another file takes it.
    private static func account(for order: Order, in state: inout State) {
        func note(_ type: MediaType, _ count: Int64, _ cause: DropCause) {
            var ledger = type == .video ? state.video : state.audio
            ledger.captured += count
            ledger[dropped: cause] += count
            if type == .video { state.video = ledger } else { state.audio = ledger }
        }
        switch order {
        case .packet(let packet): note(packet.format.mediaType, packet.ledgerCount, .disk)
        case .loss(let type, let count, let cause): note(type, count, cause)
        case .chapter, .finish: break
        }
    }

    private func carryOut(_ order: Order, _ writing: Writing) {
        switch order {
        case .packet(let packet):
            // Refused packets are in the input's ledger. What throws, a writer that failed, is told by its events.
            _ = try? (packet.format.mediaType == .video ? writing.video : writing.audio)?.append(packet)
        case .loss(let type, let count, let cause):
            (type == .video ? writing.video : writing.audio)?.noteLoss(count, cause: cause)
        case .chapter(let title, let time): try? writing.writer.addChapter(title, at: time)
        case .finish(let end):
            try? writing.writer.endSession(atSourceTime: end)
            writing.writer.finishWriting { _ in }
        }
    }

    // MARK: The file's life

    private func write() async {
        let writing: Writing
        do throws(MediaError) { writing = try await open() } catch { return fail(error) }
        drain(writing)
        for await event in writing.writer.events {
            switch event {
            case .began: events(.began)
            case .inputFailed(let mediaType, let error): events(.trackFailed(mediaType, error))
            case .completed:
                if writing.writer.finalPath != writing.writer.outputURL.path {
                    events(.renamed(writing.writer.finalPath))
                }
                events(.finished)
            case .failed(let error): fail(error)
            }
        }
    }

    /// Once, or until the directory is there again.
    private func open() async throws(MediaError) -> Writing {
        var isTold = false
        while true {
            let opened = await blockingCall("open-file") {
                Result { () throws(MediaError) in
                    try self.plan.place.take { location throws(MediaError) in try self.open(location) }
                }
            }
            do throws(MediaError) {
                return try opened.get()
            } catch {
                guard error.isMissingPlace, plan.place.mayWait(), !state.withLock({ $0.isOver }) else { throw error }
                if !isTold { events(.waiting(error)) }
                isTold = true
                try? await Task.sleep(for: plan.place.patience)
            }
        }
    }

    /// With what the encoder holds back and a moment that is hard to encode, about 1.5 s lie between a picture and the disk. A
    /// key frame every two seconds divides them into three.
    private static let fragmentInterval = MediaTime(value: 7, timescale: 10)

    private func open(_ location: OutputLocation) throws(MediaError) -> Writing {
        let events = events
        let writer = try AssetWriter(
            outputURL: URL(fileURLWithPath: location.path), writeLatency: plan.writeLatency,
            syncLatency: plan.syncLatency, whenMoved: { events(.moved($0)) })
        let video = try opening.video.map { format throws(MediaError) in try Self.input(format, of: writer) }
        let audio = try opening.audio.map { format throws(MediaError) in try Self.input(format, of: writer) }
        let (plan, isQuickTime) = (plan, writer.fileType == .mov)
        try writer.configure { writer in
            writer.creationDate = plan.created
            writer.overwritesExistingFile = location.overwrites
            writer.numbersTakenName = true
            writer.isContinuedElsewhere = true
            writer.timecode = isQuickTime ? plan.timecode : nil
            writer.sessionTimeOfDay = TimeOfDay.of(plan.created)
            writer.metadata = plan.metadata
            writer.writesChapters = true
            writer.openingChapterTitle = "Start"
            writer.movieFragmentInterval = Self.fragmentInterval
        }
        try writer.startWriting()
        try writer.startSession(atSourceTime: opening.start)
        return Writing(writer: writer, video: video, audio: audio)
    }

    private static func input(
        _ format: FormatDescription, of writer: AssetWriter
    ) throws(MediaError) -> AssetWriterInput {
        let input = try AssetWriterInput(mediaType: format.mediaType, outputSettings: nil, sourceFormatHint: format)
        try input.configure {
            $0.expectsMediaDataInRealTime = true
            // What may wait is bounded by whole groups of pictures, before packets come here.
            $0.realTimeBudget = RealTimeBudget(duration: .positiveInfinity, bytes: .max)
        }
        try writer.add(input)
        return input
    }

    /// Carries out what has waited; from then on orders go straight to the writer.
    private func drain(_ writing: Writing) {
        events(.opened)
        while true {
            let orders = state.withLock { state -> [Order] in
                state.writing = writing
                defer { state.waiting = [] }
                if state.waiting.isEmpty { state.isOpen = true }
                return state.waiting
            }
            if orders.isEmpty { break }
            for order in orders { carryOut(order, writing) }
        }
        if state.withLock({ $0.isOver }) { writing.writer.cancelWriting() }
    }

    private func fail(_ error: MediaError) {
        let isCutShort = state.withLock { state in
            state.isOver = true
            for order in state.waiting { Self.account(for: order, in: &state) }
            state.waiting = []
            guard let writer = state.writing?.writer, error.endsOnlyThisFile else { return false }
            // Where not a single sample fits, none would fit into the next file.
            return error.underlying != .errno(EFBIG) || writer.bytesWritten > 0
        }
        events(isCutShort ? .cutShort(error) : .failed(error))
    }
}

import DequeModule
import MediaTypes

/// Decides which file every packet goes to, and where files begin and end. A pure value.
///
/// - A file begins with a key frame of the video; without video, anywhere. No picture is in two files or in none.
/// - Sound waits until the pictures have come as far, so that it is known on which side of a cut it lies. A packet of sound
///   that a cut divides is stored in both files, with two packets before it in the later one; the edit lists show each of
///   them what is its own, to the sample.
/// - A file that has fallen behind loses whole groups of pictures.
/// - All times are those of the devices' clock, less what was paused.
struct PacketRouter {
    enum Phase: Equatable {
        /// Packets are kept for a recording that may come.
        case idle
        /// A recording begins with the first packet that can begin one; not before this moment.
        case waiting(from: MediaTime?)
        case recording
    }

    private struct Current {
        var opening: SegmentOpening
        var byteCount: Int64 = 0
        var hasSound = false
        var end: MediaTime
    }

    /// Sound is held for pictures no longer than this: a camera that hangs does not hold it back.
    static let patience = MediaTime(value: 3, timescale: 1)

    private(set) var phase = Phase.idle
    private(set) var preRoll: PreRollBuffer
    /// Bytes that a file may be behind before pictures are dropped.
    private let backlogLimit: Int64
    private var segmentCount = 0
    private var current: Current?
    /// The file before, while sound of its time may still come.
    private var closing: (segment: Int, end: MediaTime)?
    private var isVideoLive = false
    private var isAudioLive = false
    private var videoFormat: FormatDescription?
    private var audioFormat: FormatDescription?
    private var videoFrontier: MediaTime?
    private var audioFrontier: MediaTime?
    private var held: Deque<SampleBuffer> = []
    /// The packets of sound before the next one, and whether a file has them: one that a cut divides, and two that it leans on.
    private var recent: Deque<(packet: SampleBuffer, isStored: Bool)> = []
    /// What the encoder gives before the start of the recording is part of it: padding that stands for captured sound.
    private var countsLead = false
    private var cutsAtNextKeyFrame = false
    private var nextCut: MediaTime?
    private var sizeLimit: Int64?
    private var isDroppingGroups = false
    private var end: MediaTime?
    /// Nothing is taken from the devices any more: the end is when the encoders have given everything.
    private var waitsForTracks = false
    private var isVideoAtEnd = false
    private var chapters: Deque<(title: String, time: MediaTime)> = []
    /// Losses of a track that the open file does not have, for the next one that has it.
    private var pendingLosses: [MediaType: Ledger] = [:]

    init(preRoll: MediaTime?, backlogLimit: Int64) {
        self.preRoll = PreRollBuffer(length: preRoll ?? .zero)
        self.backlogLimit = backlogLimit
    }

    /// The file that is being written.
    var openSegment: SegmentOpening? { current?.opening }

    // MARK: Tracks

    /// A track's encoder has begun, with the format of its packets where that is known.
    mutating func trackBegan(_ mediaType: MediaType, format: FormatDescription?, into actions: inout [RouterAction]) {
        if mediaType == .video {
            preRoll.removeVideo()
            isVideoLive = true
            videoFormat = format
            // What comes now does not lean on what came before.
            cutsAtNextKeyFrame = current != nil
        } else {
            if audioFormat != nil, audioFormat != format { preRoll.removeAudio() }
            isAudioLive = true
            audioFormat = format
            if let current, current.opening.audio != format { cut(soon: &actions) }
        }
    }

    /// A track's device is there again, and its encoder is about to begin: sound waits for the picture that opens the next
    /// file, or what is heard with it would be in the file before.
    mutating func trackReturns(_ mediaType: MediaType) { if mediaType == .video { isVideoLive = true } }

    /// Nothing more comes from a track, until it begins anew.
    mutating func trackEnded(_ mediaType: MediaType, into actions: inout [RouterAction]) {
        if mediaType == .video { isVideoLive = false } else { isAudioLive = false }
        if !isVideoLive { release(all: true, into: &actions) }
        if end != nil { return endIfComplete(&actions) }
        guard !isVideoLive, !isAudioLive, case .recording = phase, let current else { return }
        close(current, at: current.end, &actions)
        phase = .waiting(from: nil)
    }

    // MARK: What the owner wants

    /// A recording begins, at this moment or with the first packet there is.
    mutating func begin(at time: MediaTime?, into actions: inout [RouterAction]) {
        segmentCount = 0
        end = nil
        isVideoAtEnd = false
        chapters = []
        pendingLosses = [:]
        phase = .waiting(from: time)
        countsLead = time == nil
        guard let time else { return }
        var pictures: [SampleBuffer] = []
        if isVideoLive {
            pictures = Array(preRoll.video(from: time))
            guard let first = pictures.first else { return }
            open(at: max(time, first.presentationTime), into: &actions)
        } else if isAudioLive, let first = preRoll.audio.first {
            open(at: max(time, first.presentationTime), into: &actions)
        } else {
            return
        }
        held = []
        recent = []
        let start = current?.opening.start ?? time
        for packet in PreRollBuffer.interleaved(pictures, Array(preRoll.audio), start: start) {
            if packet.format.mediaType == .video { appendVideo(packet, &actions) } else { takeSound(packet, &actions) }
        }
    }

    /// The recording ends at this moment; packets of later ones are not stored, as far as nothing leans on them.
    ///
    /// - Parameter whenTracksEnd: all there is to come belongs to the recording, and is stored: what an encoder gives of a
    ///   block that the end divides too, since that was captured.
    mutating func end(at time: MediaTime, whenTracksEnd: Bool = false, into actions: inout [RouterAction]) {
        guard phase != .idle, end == nil else { return }
        end = time
        waitsForTracks = whenTracksEnd
        endIfComplete(&actions)
    }

    /// The recording ends with what there is.
    mutating func endNow(into actions: inout [RouterAction]) {
        guard phase != .idle else { return }
        end = end ?? current?.end ?? .zero
        isVideoAtEnd = true
        finish(&actions)
    }

    /// This file ends before the next key frame.
    mutating func cut(soon actions: inout [RouterAction]) {
        guard current != nil else { return }
        cutsAtNextKeyFrame = true
        if let videoFrontier { actions.append(.askForKeyFrame(at: videoFrontier)) }
    }

    /// Where the open file ends by the clock, and how large it gets.
    mutating func limit(until time: MediaTime?, size: Int64?, into actions: inout [RouterAction]) {
        nextCut = time
        sizeLimit = size
        if let time { actions.append(.askForKeyFrame(at: time)) }
    }

    mutating func addChapter(_ title: String, at time: MediaTime, into actions: inout [RouterAction]) {
        chapters.append((title, time))
        writeChapters(&actions)
    }

    mutating func noteLoss(
        _ mediaType: MediaType, _ count: Int64, _ cause: DropCause, into actions: inout [RouterAction]
    ) {
        guard phase != .idle else { return }
        guard let current, current.opening.has(mediaType) else {
            pendingLosses[mediaType, default: Ledger()][dropped: cause] += count
            return
        }
        actions.append(.loss(segment: current.opening.number, mediaType, count: count, cause: cause))
    }

    // MARK: Packets

    /// - Parameter backlog: bytes that the open file has been given and has not written.
    mutating func take(_ packet: SampleBuffer, backlog: Int64, into actions: inout [RouterAction]) {
        preRoll.append(packet)
        guard packet.format.mediaType == .video else { return takeSound(packet, &actions) }
        videoFormat = packet.format
        let time = packet.presentationTime
        videoFrontier = max(videoFrontier ?? time, time)
        switch phase {
        case .idle: break
        case .waiting(let from):
            guard packet.isKeyFrame else {
                drop(packet, .corrupt, &actions)
                break
            }
            open(at: from.map { max($0, time) } ?? time, into: &actions)
            appendVideo(packet, &actions)
        case .recording:
            if packet.isKeyFrame, end == nil, isCutDue(at: packet) { cut(at: time, &actions) }
            if isInTime(packet, backlog, &actions) { appendVideo(packet, &actions) }
            if let closing, time - closing.end > Self.patience { closeEarlier(&actions) }
            if let end, packet.decodeTime ?? time >= end { isVideoAtEnd = true }
        }
        release(all: false, into: &actions)
        endIfComplete(&actions)
    }

    private func isCutDue(at packet: SampleBuffer) -> Bool {
        if cutsAtNextKeyFrame || current?.opening.video != packet.format { return true }
        return nextCut.map { packet.presentationTime >= $0 } ?? false
    }

    /// Whether the file can take it, or the rest of its group of pictures is dropped.
    private mutating func isInTime(_ packet: SampleBuffer, _ backlog: Int64, _ actions: inout [RouterAction]) -> Bool {
        if isDroppingGroups {
            isDroppingGroups = !(packet.isKeyFrame && backlog <= backlogLimit / 2)
        } else {
            isDroppingGroups = backlog > backlogLimit
        }
        if isDroppingGroups { drop(packet, .disk, &actions) }
        return !isDroppingGroups
    }

    private mutating func drop(_ packet: SampleBuffer, _ cause: DropCause, _ actions: inout [RouterAction]) {
        noteLoss(packet.format.mediaType, packet.ledgerCount, cause, into: &actions)
    }

    private mutating func appendVideo(_ packet: SampleBuffer, _ actions: inout [RouterAction]) {
        guard var current else { return }
        let time = packet.presentationTime
        // Stored for others to lean on, and not shown.
        let isHidden = time < current.opening.start || end.map { time >= $0 } ?? false
        append(isHidden ? packet.accounting(for: 0) : packet, to: &current, &actions)
        self.current = current
        writeChapters(&actions)
        guard let sizeLimit, current.byteCount >= sizeLimit, !cutsAtNextKeyFrame else { return }
        cut(soon: &actions)
    }

    private func append(_ packet: SampleBuffer, to current: inout Current, _ actions: inout [RouterAction]) {
        current.byteCount += Int64(packet.byteCount)
        current.end = max(current.end, packet.endTime)
        actions.append(.append(segment: current.opening.number, packet))
    }

    // MARK: Sound

    private mutating func takeSound(_ packet: SampleBuffer, _ actions: inout [RouterAction]) {
        held.append(packet)
        release(all: false, into: &actions)
        endIfComplete(&actions)
    }

    /// Lets sound go as far as the pictures are.
    private mutating func release(all: Bool, into actions: inout [RouterAction]) {
        while let first = held.first {
            let time = first.presentationTime
            let isOverdue = (held.last?.presentationTime ?? time) - time > Self.patience
            guard all || !isVideoLive || isOverdue || videoFrontier.map({ time <= $0 }) ?? false else { return }
            // It waits for the file that has its format.
            if let current, current.opening.audio != first.format, isVideoLive, !isOverdue, !all { return }
            held.removeFirst()
            route(first, &actions)
        }
    }

    private mutating func route(_ packet: SampleBuffer, _ actions: inout [RouterAction]) {
        let (time, packetEnd) = (packet.presentationTime, packet.endTime)
        var isStored = false
        defer {
            audioFrontier = packetEnd
            recent.append((packet, isStored))
            if recent.count > 3 { recent.removeFirst() }
        }
        switch phase {
        case .idle: return
        case .waiting(let from):
            guard !isVideoLive, from.map({ packetEnd > $0 }) ?? true else { return }
            open(at: from.map { max($0, time) } ?? time, into: &actions)
        case .recording: break
        }
        if !isVideoLive, end == nil { cutSound(packet, &actions) }
        guard var current else { return }
        if let closing {
            let isEarlier = time < closing.end
            if isEarlier {
                actions.append(.append(segment: closing.segment, packet))
                isStored = true
            }
            if packetEnd >= closing.end { closeEarlier(&actions) }
            if isEarlier {
                if packetEnd > closing.end { appendSound(packet.accounting(for: 0), &current, &actions) }
                self.current = current
                return
            }
        }
        if let end, time >= end, !waitsForTracks { return }
        guard packetEnd > current.opening.start else {
            // Before the recording, or so late that its file is closed.
            if current.opening.number > 1 { drop(packet, .queue, &actions) }
            return
        }
        guard packet.format == current.opening.audio else { return drop(packet, .queue, &actions) }
        appendSound(packet, &current, &actions)
        isStored = true
        self.current = current
    }

    private mutating func appendSound(
        _ packet: SampleBuffer, _ current: inout Current, _ actions: inout [RouterAction]
    ) {
        if !current.hasSound {
            current.hasSound = true
            for (earlier, isStored) in recent where earlier.format == packet.format {
                let isCounted = countsLead && !isStored
                append(isCounted ? earlier : earlier.accounting(for: 0), to: &current, &actions)
            }
        }
        append(packet, to: &current, &actions)
    }

    /// Without pictures a file is cut at the moment itself.
    private mutating func cutSound(_ packet: SampleBuffer, _ actions: inout [RouterAction]) {
        guard let current else { return }
        let isOther = packet.format != current.opening.audio
        let isFull = sizeLimit.map { current.byteCount >= $0 } ?? false
        if isOther || isFull || (cutsAtNextKeyFrame && packet.presentationTime > current.opening.start) {
            cut(at: packet.presentationTime, &actions)
        } else if let nextCut, packet.endTime > nextCut {
            cut(at: max(nextCut, packet.presentationTime), &actions)
        }
    }

    // MARK: Files

    private mutating func open(at start: MediaTime, into actions: inout [RouterAction]) {
        segmentCount += 1
        phase = .recording
        let opening = SegmentOpening(
            number: segmentCount, start: start, video: isVideoLive ? videoFormat : nil,
            audio: audioFormat)
        current = Current(opening: opening, end: start)
        cutsAtNextKeyFrame = false
        nextCut = nil
        sizeLimit = nil
        actions.append(.open(opening))
        for type in [MediaType.video, .audio] where opening.has(type) {
            for (count, cause) in takePendingLosses(type) {
                actions.append(.loss(segment: opening.number, type, count: count, cause: cause))
            }
        }
    }

    private mutating func takePendingLosses(_ type: MediaType) -> [(Int64, DropCause)] {
        guard let losses = pendingLosses.removeValue(forKey: type) else { return [] }
        return DropCause.allCases.map { (losses[dropped: $0], $0) }.filter { $0.0 > 0 }
    }

    private mutating func cut(at time: MediaTime, _ actions: inout [RouterAction]) {
        guard let current else { return }
        closeEarlier(&actions)
        writeChapters(&actions, before: time)
        let hasSoundToCome = isAudioLive && (audioFrontier ?? .negativeInfinity) < time
        closing = (current.opening.number, time)
        countsLead = false
        open(at: time, into: &actions)
        if !hasSoundToCome { closeEarlier(&actions) }
    }

    private mutating func closeEarlier(_ actions: inout [RouterAction]) {
        guard let closing else { return }
        self.closing = nil
        actions.append(.close(segment: closing.segment, end: closing.end))
    }

    private mutating func close(_ current: Current, at end: MediaTime, _ actions: inout [RouterAction]) {
        closeEarlier(&actions)
        writeChapters(&actions, before: end)
        self.current = nil
        actions.append(.close(segment: current.opening.number, end: max(end, current.opening.start)))
    }

    /// Chapters that the open file has come to.
    private mutating func writeChapters(_ actions: inout [RouterAction], before end: MediaTime? = nil) {
        guard let current else { return }
        while let next = chapters.first, next.time < end ?? current.end {
            chapters.removeFirst()
            actions.append(
                .chapter(
                    segment: current.opening.number, title: next.title, time: max(next.time, current.opening.start)))
        }
    }

    private mutating func endIfComplete(_ actions: inout [RouterAction]) {
        guard let end, phase != .idle else { return }
        if waitsForTracks, isVideoLive || isAudioLive { return }
        guard !isVideoLive || isVideoAtEnd, !isAudioLive || (audioFrontier ?? .negativeInfinity) >= end else { return }
        finish(&actions)
    }

    private mutating func finish(_ actions: inout [RouterAction]) {
        release(all: true, into: &actions)
        if let current { close(current, at: end ?? current.end, &actions) }
        for type in [MediaType.video, .audio] {
            for (count, cause) in takePendingLosses(type) {
                actions.append(.dropped(type, count: count, cause: cause))
            }
        }
        chapters = []
        phase = .idle
        end = nil
        waitsForTracks = false
        actions.append(.ended)
    }
}

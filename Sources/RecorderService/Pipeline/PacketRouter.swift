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

    struct Current {
        var opening: RecordingFileOpening
        var byteCount: Int64 = 0
        var packetCount: Int64 = 0
        var hasSound = false
        var end: MediaTime
        /// Bytes since the last key frame, and the most that there were between two.
        var group: Int64 = 0
        var largestGroup: Int64 = 0
        /// When the file's last chapter begins.
        var lastChapter: MediaTime?

        /// What the file will be large, about, when it is ended at the next key frame: each packet is in a fragment's header, in
        /// an index block and in the tables, each fragment and the file have heads, and until that key frame comes there is as
        /// much again as there was between others.
        var footprint: Int64 {
            let heads = 8192 + max(0, (end - opening.start).nanoseconds) / 1_000_000
            return byteCount + packetCount * 64 + heads + largestGroup
        }

        mutating func note(_ packet: SampleBuffer) {
            let size = Int64(packet.byteCount)
            byteCount += size
            packetCount += 1
            end = max(end, packet.endTime)
            if packet.format.mediaType == .video, packet.isKeyFrame { group = 0 }
            group += size
            largestGroup = max(largestGroup, group)
        }
    }

    /// Sound is held for pictures no longer than this: a camera that hangs does not hold it back.
    static let patience = MediaTime(value: 3, timescale: 1)

    var phase = Phase.idle
    private(set) var preRoll: PreRollBuffer
    /// Bytes that a file may be behind before pictures are dropped.
    let backlogLimit: Int64
    var segmentCount = 0
    var current: Current?
    /// The file before, while sound of its time may still come.
    var closing: (segment: Int, end: MediaTime)?
    var isVideoLive = false
    var isAudioLive = false
    var videoFormat: FormatDescription?
    var audioFormat: FormatDescription?
    var videoFrontier: MediaTime?
    var audioFrontier: MediaTime?
    var held: Deque<SampleBuffer> = []
    /// The packets of sound before the next one, and whether a file has them: one that a cut divides, and two that it leans on.
    var recent: Deque<(packet: SampleBuffer, isStored: Bool)> = []
    /// What the encoder gives before the start of the recording is part of it: padding that stands for captured sound.
    var countsLead = false
    var cutsAtNextKeyFrame = false
    var nextCut: MediaTime?
    var sizeLimit: Int64?
    /// Bytes that the file may have in all.
    var largest: Int64?
    var isDroppingGroups = false
    var end: MediaTime?
    /// Nothing is taken from the devices any more: the end is when the encoders have given everything.
    var waitsForTracks = false
    var isVideoAtEnd = false
    var chapters: Deque<(title: String, time: MediaTime)> = []
    /// Losses of a track that the open file does not have, for the next one that has it.
    var pendingLosses: [MediaType: Ledger] = [:]

    init(preRoll: MediaTime?, backlogLimit: Int64) {
        self.preRoll = PreRollBuffer(length: preRoll ?? .zero)
        self.backlogLimit = backlogLimit
    }

    /// The file that is being written.
    var openSegment: RecordingFileOpening? { current?.opening }

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

    /// Nobody needs a track's packets: none comes until it wakes, and those that are kept are too old for a recording by then.
    mutating func trackRests(_ mediaType: MediaType, into actions: inout [RouterAction]) {
        trackEnded(mediaType, into: &actions)
        if mediaType == .video {
            preRoll.removeVideo()
            videoFrontier = nil
        } else {
            preRoll.removeAudio()
            held = []
            recent = []
            audioFrontier = nil
        }
    }

    /// Its encoder begins with the next sample: until its first packet it is like any track whose device has just begun.
    mutating func trackWakes(_ mediaType: MediaType) {
        if mediaType == .video { isVideoLive = true } else { isAudioLive = true }
    }

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
    ///
    /// - Parameters:
    ///   - size: bytes of media.
    ///   - largest: bytes of the whole file.
    mutating func limit(
        until time: MediaTime?, size: Int64?, largest: Int64? = nil, into actions: inout [RouterAction]
    ) {
        nextCut = time
        sizeLimit = size
        self.largest = largest
        if let time { actions.append(.askForKeyFrame(at: time)) }
    }

    mutating func addChapter(_ title: String, at time: MediaTime, into actions: inout [RouterAction]) {
        // One that was meant for an earlier moment comes before those that wait already.
        chapters.insert((title, time), at: chapters.firstIndex { $0.time > time } ?? chapters.endIndex)
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

    func isCutDue(at packet: SampleBuffer) -> Bool {
        if cutsAtNextKeyFrame || current?.opening.video != packet.format { return true }
        return nextCut.map { packet.presentationTime >= $0 } ?? false
    }

    /// Whether the file can take it, or the rest of its group of pictures is dropped.
    mutating func isInTime(_ packet: SampleBuffer, _ backlog: Int64, _ actions: inout [RouterAction]) -> Bool {
        if isDroppingGroups {
            isDroppingGroups = !(packet.isKeyFrame && backlog <= backlogLimit / 2)
        } else {
            isDroppingGroups = backlog > backlogLimit
        }
        if isDroppingGroups { drop(packet, .disk, &actions) }
        return !isDroppingGroups
    }

    mutating func drop(_ packet: SampleBuffer, _ cause: DropCause, _ actions: inout [RouterAction]) {
        noteLoss(packet.format.mediaType, packet.ledgerCount, cause, into: &actions)
    }

    mutating func appendVideo(_ packet: SampleBuffer, _ actions: inout [RouterAction]) {
        guard var current else { return }
        let time = packet.presentationTime
        // Stored for others to lean on, and not shown.
        let isHidden = time < current.opening.start || end.map { time >= $0 } ?? false
        append(isHidden ? packet.accounting(for: 0) : packet, to: &current, &actions)
        self.current = current
        writeChapters(&actions)
        if isFull(current), !cutsAtNextKeyFrame { cut(soon: &actions) }
    }

    func isFull(_ current: Current) -> Bool {
        current.byteCount >= sizeLimit ?? .max || current.footprint >= largest ?? .max
    }

    func append(_ packet: SampleBuffer, to current: inout Current, _ actions: inout [RouterAction]) {
        current.note(packet)
        actions.append(.append(segment: current.opening.number, packet))
    }
}

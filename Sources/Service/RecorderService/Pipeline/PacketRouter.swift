import DequeModule
import MediaTypes

/// Decides which file every packet goes to, and at which packets files begin and end. A pure value.
///
/// - A file with video begins with a keyframe. A file without video begins with any packet. Every frame is in exactly
///   one file. The leading frames of the keyframe are in the previous file.
/// - Audio waits until the frames have reached its time, so that the file that it belongs to is known. An audio packet
///   that a cut divides is stored in both files. The later file also stores the two packets before it. The edit lists
///   make each file show exactly its own part.
/// - Complete GOPs are dropped while a file lags.
/// - All times are times of the devices' clock, minus the pauses.
struct PacketRouter {
    enum Phase: Equatable {
        /// Packets are kept for a later recording.
        case idle
        /// The recording begins with the first packet that a file can begin with, but not before this time.
        case waiting(from: MediaTime?)
        case recording
    }

    /// Maximum time for which audio waits for frames. It limits the delay of audio if the camera hangs.
    static let patience = MediaTime(value: 3, timescale: 1)

    var phase = Phase.idle
    private(set) var preRoll: PreRollBuffer
    /// Maximum bytes that may wait for the disk; above it frames are dropped.
    let backlogLimit: Int64
    var segmentCount = 0
    var current: Current?
    /// The previous file, while packets for it may still arrive.
    var closing: Closing?
    var video = Track()
    var audio = Track()
    var held = HeldAudio()
    /// True if audio packets before the start belong to the recording, because captured audio is part of the encoder's
    /// priming.
    var countsLead = false
    var limits = FileLimits()
    var isDroppingGroups = false
    /// Selects the frames that can be decoded after dropped ones.
    private var entry = DecodingEntry()
    var ending = Ending()
    var chapters: Deque<(title: String, time: MediaTime)> = []
    /// The time from which on frames have the current masks; nil if the masks have not changed.
    var masksChangedAt: MediaTime?

    init(preRoll: MediaTime?, backlogLimit: Int64) {
        self.preRoll = PreRollBuffer(length: preRoll ?? .zero)
        self.backlogLimit = backlogLimit
    }

    /// The file that is being written.
    var openSegment: RecordingFileOpening? { current?.opening }
    /// The time at which the open file ends because of its time limit; nil without a time limit.
    var nextCut: MediaTime? { limits.time }

    // MARK: Tracks

    /// Handles the start of a track's encoder. `format` is nil if only the first packet will contain it.
    mutating func trackBegan(_ mediaType: MediaType, format: FormatDescription?, into actions: inout [RouterAction]) {
        if mediaType == .video {
            preRoll.removeVideo()
            video.isLive = true
            video.isContinued = false
            video.format = format
            // The next frames do not depend on earlier ones.
            limits.endsAtNextKeyframe = current != nil
        } else {
            if audio.format != nil, audio.format != format { preRoll.removeAudio() }
            audio.isLive = true
            audio.format = format
            if let current, current.opening.audio != format { cut(soon: &actions) }
        }
    }

    /// Handles the reconnect of a device, before its encoder begins. From now on audio waits for the frame that opens
    /// the next file. Otherwise the audio of that frame's time would be stored in the previous file.
    mutating func trackReturns(_ mediaType: MediaType) { if mediaType == .video { video.isLive = true } }

    /// Handles a track that sends no packets until it wakes. Its kept packets are removed, because they will be too old
    /// when it wakes.
    mutating func trackRests(_ mediaType: MediaType, into actions: inout [RouterAction]) {
        trackEnded(mediaType, into: &actions)
        if mediaType == .video {
            preRoll.removeVideo()
            video.frontier = nil
        } else {
            preRoll.removeAudio()
            held = HeldAudio()
            audio.frontier = nil
        }
    }

    /// Handles a track that wakes. Its encoder begins with the next sample. Until its first packet, the track is
    /// handled like one whose device has just begun.
    mutating func trackWakes(_ mediaType: MediaType) {
        if mediaType == .video { video.isLive = true } else { audio.isLive = true }
    }

    /// Handles the end of a track, which may begin again later.
    mutating func trackEnded(_ mediaType: MediaType, into actions: inout [RouterAction]) {
        if mediaType == .video { video.isLive = false } else { audio.isLive = false }
        if !video.isLive {
            video.interval.interrupt()
            release(all: true, into: &actions)
            leadingFramesEnded(&actions)
        }
        if ending.time != nil { return endIfComplete(&actions) }
        endFileIfAlone(&actions)
    }

    /// Ends the open file if both tracks have ended. The next file begins with the first packet of a track that begins
    /// again.
    mutating func endFileIfAlone(_ actions: inout [RouterAction]) {
        guard !video.isLive, !audio.isLive, case .recording = phase, let current else { return }
        close(current, at: current.end, &actions)
        phase = .waiting(from: nil)
    }

    /// Returns true if the frames from a keyframe on have the masks that applied at a time, or later ones. Otherwise a
    /// recording that begins at that time would contain frames with former masks. Players would not show them, but they
    /// could be decoded.
    func hasMasks(of time: MediaTime, _ keyframe: MediaTime) -> Bool {
        masksChangedAt.map { time < $0 || keyframe >= $0 } ?? true
    }

    /// The packets since the newest keyframe, with which a viewer begins. Empty if that keyframe has former masks.
    var newestGroup: [SampleBuffer] {
        guard let keyframe = preRoll.newestKeyframe, keyframe >= masksChangedAt ?? keyframe else { return [] }
        return preRoll.newestGroup
    }

    /// Returns true if the recording shows no frame at this time, as far as is known.
    func isAfterEnd(_ time: MediaTime) -> Bool {
        (ending.time ?? ending.expected).map { time >= $0 } ?? false
    }

    // MARK: Packets

    /// Routes one packet.
    ///
    /// - Parameter backlog: Bytes that the files have received but not written.
    mutating func accept(_ packet: SampleBuffer, backlog: Int64, into actions: inout [RouterAction]) {
        let packet = packet.format.mediaType == .video ? video.lasting(packet) : packet
        preRoll.append(packet)
        guard packet.format.mediaType == .video else { return acceptAudio(packet, &actions) }
        video.format = packet.format
        let time = packet.presentationTime
        video.frontier = max(video.frontier ?? time, time)
        video.frameDuration = packet.duration
        switch phase {
        case .idle: break
        case .waiting(let from):
            guard packet.isKeyframe, from.map({ hasMasks(of: $0, time) }) ?? true, !isAfterEnd(time) else {
                // A frame from before the recording or after it does not count as dropped.
                let isWanted = from.map { time >= $0 } ?? true && ending.time.map { time < $0 } ?? true
                if isWanted { drop(packet, .corrupt, &actions) }
                break
            }
            open(at: from.map { max($0, time) } ?? time, into: &actions)
            current?.wanted = from
            appendVideo(packet, &actions)
        case .recording:
            if packet.isKeyframe, ending.time == nil, !isAfterEnd(time), isCutDue(at: packet) {
                cut(at: time, keyframe: video.isContinued ? packet : nil, &actions)
            }
            store(packet, backlog, &actions)
            if let closing, time > closing.end { leadingFramesEnded(&actions) }
            if let closing, time - closing.end > Self.patience { closeEarlier(&actions) }
        }
        if let end = ending.time, packet.decodeTime ?? time >= end { ending.isVideoAtEnd = true }
        if packet.isKeyframe { video.isContinued = true }
        release(all: false, into: &actions)
        endIfComplete(&actions)
    }

    /// Handles a frame that has no packet, because it repeats the one before. No file begins or ends with such a frame:
    /// the encoder sends a packet for each frame for which a keyframe was requested, and holds no frames back.
    mutating func continueVideo(at time: MediaTime, into actions: inout [RouterAction]) {
        let end = time + (video.frameDuration ?? .zero)
        video.frontier = max(video.frontier ?? time, time)
        preRoll.continueVideo(at: time, until: end)
        if case .recording = phase {
            if let current, current.opening.video != nil, current.opening.video == video.format {
                self.current?.end = max(current.end, end)
                actions.append(.continueVideo(segment: current.opening.number, at: time))
                writeChapters(&actions)
            }
            if let closing, time > closing.end { leadingFramesEnded(&actions) }
            if let closing, time - closing.end > Self.patience { closeEarlier(&actions) }
            if let end = ending.time, time >= end { ending.isVideoAtEnd = true }
        }
        release(all: false, into: &actions)
        endIfComplete(&actions)
    }

    func isCutDue(at packet: SampleBuffer) -> Bool {
        if limits.endsAtNextKeyframe || current?.opening.video != packet.format { return true }
        return limits.time.map { packet.presentationTime >= $0 } ?? false
    }

    /// Appends a frame to the open file, or counts it as dropped.
    private mutating func store(_ packet: SampleBuffer, _ backlog: Int64, _ actions: inout [RouterAction]) {
        if current?.opening.video == packet.format {
            if isInTime(packet, backlog, &actions) { appendVideo(packet, &actions) }
        } else if ending.time.map({ packet.presentationTime < $0 }) ?? true {
            // The camera reconnected so late that no other file begins before the end of the recording.
            drop(packet, .queue, &actions)
        }
    }

    /// Returns true if the file can store the packet, false if the rest of its GOP is dropped.
    mutating func isInTime(_ packet: SampleBuffer, _ backlog: Int64, _ actions: inout [RouterAction]) -> Bool {
        if isDroppingGroups {
            isDroppingGroups = !(packet.isKeyframe && backlog <= backlogLimit / 2)
        } else {
            isDroppingGroups = backlog > backlogLimit
        }
        if isDroppingGroups { entry.leaveOut() }
        guard !isDroppingGroups, entry.admits(packet) else {
            drop(packet, .disk, &actions)
            return false
        }
        return true
    }

    func drop(_ packet: SampleBuffer, _ cause: DropCause, _ actions: inout [RouterAction]) {
        recordLoss(packet.format.mediaType, packet.ledgerCount, cause, into: &actions)
    }

    mutating func appendVideo(_ packet: SampleBuffer, _ actions: inout [RouterAction]) {
        guard var current else { return }
        let time = packet.presentationTime
        if let first = current.firstFrame, time < first {
            return appendLeading(packet, wanted: current.wanted, &actions)
        }
        // True if the frame is stored only because others depend on it, and not shown.
        let isHidden = time < current.opening.start || ending.time.map { time >= $0 } ?? false
        append(isHidden ? packet.accounting(for: 0) : packet, to: &current, &actions)
        self.current = current
        writeChapters(&actions)
        if isFull(current), !limits.endsAtNextKeyframe { cut(soon: &actions) }
    }

    /// Handles a leading frame of the keyframe that begins the open file. Appends the frame to the previous file, or
    /// counts the frame as dropped.
    private mutating func appendLeading(
        _ packet: SampleBuffer, wanted: MediaTime?, _ actions: inout [RouterAction]
    ) {
        guard let closing, let keyframe = closing.keyframe else {
            // A frame from before the recording does not count as dropped.
            if wanted.map({ packet.presentationTime >= $0 }) ?? true { drop(packet, .corrupt, &actions) }
            return
        }
        if !closing.storesKeyframe {
            self.closing?.storesKeyframe = true
            actions.append(.append(segment: closing.segment, keyframe.accounting(for: 0)))
        }
        actions.append(.append(segment: closing.segment, packet))
    }

    func isFull(_ current: Current) -> Bool {
        current.byteCount >= limits.size ?? .max || current.footprint >= limits.largest ?? .max
    }

    func append(_ packet: SampleBuffer, to current: inout Current, _ actions: inout [RouterAction]) {
        current.record(packet)
        actions.append(.append(segment: current.opening.number, packet))
    }
}

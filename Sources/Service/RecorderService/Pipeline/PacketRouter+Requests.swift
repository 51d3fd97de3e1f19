import MediaTypes

/// Requests that begin and end a recording and its files.
extension PacketRouter {
    /// Begins a recording, at this time or with the first packet.
    mutating func begin(at time: MediaTime?, into actions: inout [RouterAction]) {
        segmentCount = 0
        ending = Ending()
        chapters = []
        phase = .waiting(from: time)
        countsLead = time == nil
        guard let time else { return }
        // The packets of a device that has just disconnected belong to the recording too.
        let hasVideo = video.isLive || preRoll.videoEnd.map { $0 > time } ?? false
        let hasAudio = audio.isLive || preRoll.audio.last.map { $0.endTime > time } ?? false
        var frames = hasVideo ? preRoll.decodableVideo(from: time) : []
        if let first = frames.first, hasMasks(of: time, first.presentationTime) {
            open(
                at: max(time, first.presentationTime), video: video.isLive ? video.format : first.format,
                audio: audio.format, into: &actions)
            if !video.isLive { frames = preRoll.lasting(frames, until: .positiveInfinity) }
        } else if !video.isLive, hasAudio, let packet = preRoll.audio.first {
            frames = []
            open(at: max(time, packet.presentationTime), into: &actions)
        } else {
            return
        }
        held = HeldAudio()
        current?.wanted = time
        let start = current?.opening.start ?? time
        frames = preRoll.holding(frames, at: start)
        for packet in PreRollBuffer.interleaved(frames, Array(preRoll.audio), start: start) {
            if packet.format.mediaType == .video {
                appendVideo(packet, &actions)
            } else {
                acceptAudio(packet, &actions)
            }
        }
        endFileIfAlone(&actions)
    }

    /// Handles the declaration that the recording shows no frame from this time on. No file begins with such a frame,
    /// because nothing in it would be shown.
    mutating func expectEnd(at time: MediaTime) {
        guard phase != .idle else { return }
        ending.expected = time
    }

    /// Ends the recording at this time. Later packets are stored only if earlier frames depend on them.
    ///
    /// - Parameter whenTracksEnd: True if the devices have stopped, so that all remaining packets belong to the
    ///   recording and are stored. This includes the encoder's output for a block of audio that the end divides.
    mutating func end(at time: MediaTime, whenTracksEnd: Bool = false, into actions: inout [RouterAction]) {
        guard phase != .idle, ending.time == nil else { return }
        ending.time = time
        ending.waitsForTracks = whenTracksEnd
        endIfComplete(&actions)
    }

    /// Ends the recording at once, with the samples that have arrived.
    mutating func endNow(into actions: inout [RouterAction]) {
        guard phase != .idle else { return }
        ending.time = ending.time ?? current?.end ?? .zero
        ending.isVideoAtEnd = true
        finish(&actions)
    }

    /// Ends the open file before the next keyframe.
    mutating func cut(soon actions: inout [RouterAction]) {
        guard current != nil else { return }
        limits.endsAtNextKeyframe = true
        if let frontier = video.frontier { actions.append(.requestKeyframe(at: frontier)) }
    }

    /// Sets the limits of the open file.
    ///
    /// - Parameters:
    ///   - size: Maximum bytes of media.
    ///   - largest: Maximum bytes of the entire file.
    mutating func limit(
        until time: MediaTime?, size: Int64?, largest: Int64? = nil, into actions: inout [RouterAction]
    ) {
        limits.time = time
        limits.size = size
        limits.largest = largest
        if let time { actions.append(.requestKeyframe(at: time)) }
    }

    mutating func addChapter(_ title: String, at time: MediaTime, into actions: inout [RouterAction]) {
        // Chapters are sorted by time: an earlier chapter may be added after a later one.
        chapters.insert((title, time), at: chapters.firstIndex { $0.time > time } ?? chapters.endIndex)
        writeChapters(&actions)
    }

    /// Requests that drops are counted in the open file. If no open file has the track, the next file with the track
    /// counts them.
    func recordLoss(
        _ mediaType: MediaType, _ count: Int64, _ cause: DropCause, into actions: inout [RouterAction]
    ) {
        guard phase != .idle else { return }
        let file = current.flatMap { $0.opening.has(mediaType) ? $0.opening.number : nil }
        actions.append(.loss(segment: file, mediaType, count: count, cause: cause))
    }
}

import MediaTypes

/// The beginning and the end of files.
extension PacketRouter {
    mutating func open(at start: MediaTime, into actions: inout [RouterAction]) {
        open(at: start, video: video.isLive ? video.format : nil, audio: audio.format, into: &actions)
    }

    mutating func open(
        at start: MediaTime, video: FormatDescription?, audio: FormatDescription?, into actions: inout [RouterAction]
    ) {
        segmentCount += 1
        phase = .recording
        let opening = RecordingFileOpening(number: segmentCount, start: start, video: video, audio: audio)
        current = Current(opening: opening, end: start, previousGOP: current?.largestGOP ?? 0)
        limits = FileLimits()
        actions.append(.open(opening))
        for type in [MediaType.video, .audio] where opening.has(type) {
            actions.append(.assignLosses(segment: opening.number, type))
        }
    }

    /// Ends the open file and begins the next one.
    ///
    /// - Parameter keyframe: The keyframe that begins the next file; nil without video.
    mutating func cut(at time: MediaTime, keyframe: SampleBuffer? = nil, _ actions: inout [RouterAction]) {
        guard let current else { return }
        closeEarlier(&actions)
        writeChapters(&actions, before: time)
        let expectsAudio = audio.isLive && (audio.frontier ?? .negativeInfinity) < time
        closing = Closing(
            segment: current.opening.number, end: time, audio: current.opening.audio, awaitsAudio: expectsAudio,
            keyframe: keyframe.flatMap { $0.mayHaveLeadingFrames && $0.format == current.opening.video ? $0 : nil })
        countsLead = false
        open(at: time, into: &actions)
        closeEarlierIfComplete(&actions)
    }

    /// Closes the previous file unless packets for it may still arrive.
    mutating func closeEarlierIfComplete(_ actions: inout [RouterAction]) {
        if let closing, !closing.awaitsAudio, closing.keyframe == nil { closeEarlier(&actions) }
    }

    /// Records that the previous file gets no more leading frames: a later frame has arrived, or no frame will follow.
    mutating func leadingFramesEnded(_ actions: inout [RouterAction]) {
        guard closing?.keyframe != nil else { return }
        closing?.keyframe = nil
        closeEarlierIfComplete(&actions)
    }

    mutating func closeEarlier(_ actions: inout [RouterAction]) {
        guard let closing else { return }
        self.closing = nil
        actions.append(.close(segment: closing.segment, end: closing.end))
    }

    mutating func close(_ current: Current, at end: MediaTime, _ actions: inout [RouterAction]) {
        closeEarlier(&actions)
        writeChapters(&actions, before: end)
        self.current = nil
        actions.append(.close(segment: current.opening.number, end: max(end, current.opening.start)))
    }

    /// Adds the chapters that the open file has reached.
    mutating func writeChapters(_ actions: inout [RouterAction], before end: MediaTime? = nil) {
        while let current, let next = chapters.first, next.time < end ?? current.end {
            chapters.removeFirst()
            // Chapters in a movie must be in order. A chapter that is added too late begins right after the last one.
            let earliest =
                current.lastChapter.map { $0 + MediaTime(value: 1, timescale: 1000) } ?? current.opening.start
            let time = max(next.time, earliest)
            self.current?.lastChapter = time
            actions.append(.chapter(segment: current.opening.number, title: next.title, time: time))
        }
    }

    mutating func endIfComplete(_ actions: inout [RouterAction]) {
        guard let end = ending.time, phase != .idle else { return }
        if ending.waitsForTracks, video.isLive || audio.isLive { return }
        let isAudioAtEnd = (audio.frontier ?? .negativeInfinity) >= end
        guard !video.isLive || ending.isVideoAtEnd, !audio.isLive || isAudioAtEnd else { return }
        finish(&actions)
    }

    mutating func finish(_ actions: inout [RouterAction]) {
        release(all: true, into: &actions)
        if let current { close(current, at: ending.time ?? current.end, &actions) }
        chapters = []
        phase = .idle
        ending = Ending()
        actions.append(.ended)
    }
}

extension SampleBuffer {
    /// True if leading frames may follow this keyframe. In H.264 an IDR picture has none (ITU-T H.264, 7.4.1.2.4).
    fileprivate var mayHaveLeadingFrames: Bool { decodeTime != nil && format.video?.codec == .hevc }
}

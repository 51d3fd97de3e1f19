package import MediaTypes

/// Decides which samples of a track are in the session, and which earlier ones are needed to decode them. A pure value.
///
/// - A session shows the frame that is on screen at its start. Only the last raw frame before the start is kept, and it
///   is moved to the start. PCM is cut exactly, to the audio frame.
/// - Packets before the start are stored as far as decoding needs them, and the edit list hides them. Video begins with
///   the last keyframe that is shown at or before the start. Audio begins with the packets before the start that
///   decoding needs (`AudioPreroll`), or, if the first of them is no keyframe, with the last keyframe before it. Only
///   the title, timecode or metadata that is active at the start is stored. The frame on screen is moved to the start,
///   where players expect the first frame of an edit.
/// - A track of packets begins with a keyframe.
package struct SessionEntry: Sendable {
    /// The limit, in bytes, for packets of a live source that are kept while the session has not begun. Beyond the
    /// limit, all kept packets are dropped, and so are the next ones until a keyframe.
    package static let liveLimit = 64 << 20

    private let isPassthrough: Bool
    private let movesHeldFrame: Bool
    private let keepsLeadingFrames: Bool
    private let limit: Int
    private var start = MediaTime.invalid
    private var kept: [SampleBuffer] = []
    private var keptBytes = 0
    private var hasBegun = false
    /// True if the first stored packet is a keyframe that is shown at the start or is the track's first packet. Packets
    /// that come later but are shown before the start then depend on frames that are not stored.
    private var beginsAtKeyframe = false

    /// - Parameters:
    ///   - movesHeldFrame: true if the frame on screen at the start is moved there; packets wait until it is known. If
    ///     false, the first raw frame is one that begins in the session, and no packet waits.
    ///   - limit: the limit, in bytes, for packets that are kept while the session has not begun.
    package init(
        isPassthrough: Bool, movesHeldFrame: Bool = false, keepsLeadingFrames: Bool = false, limit: Int = liveLimit
    ) {
        self.isPassthrough = isPassthrough
        self.movesHeldFrame = movesHeldFrame
        self.keepsLeadingFrames = keepsLeadingFrames
        self.limit = limit
    }

    package mutating func begin(at start: MediaTime) { self.start = start }

    /// Returns true if no part of the sample is stored or kept.
    package func isOutside(_ sample: SampleBuffer) -> Bool {
        guard sample.presentationTime < start else { return false }
        switch sample.format {
        case .video:
            guard isPassthrough else { return hasBegun || !movesHeldFrame }
            return hasBegun && beginsAtKeyframe && !keepsLeadingFrames
        case .audio(let format):
            return format.bytesPerFrame != nil && framesBefore(sample, rate: format.sampleRate) >= sample.sampleCount
        case .timecode, .text, .metadata: return false
        }
    }

    /// Returns true if decoding can begin or continue with this sample.
    package func canDecode(_ sample: SampleBuffer) -> Bool {
        hasBegun || !isPassthrough || sample.isKeyframe || !kept.isEmpty
    }

    /// Accepts a sample that is not outside.
    ///
    /// - Returns: the sample for the encoder and the ones to encode before it; nil if the sample is kept for the start.
    package mutating func admit(_ sample: SampleBuffer) -> (sample: SampleBuffer, earlier: [SampleBuffer])? {
        guard !hasBegun else { return (inside(sample), []) }
        guard sample.presentationTime >= start || lastsIntoSession(sample) else {
            keep(sample)
            return nil
        }
        guard sample.format.mediaType == .video else {
            hasBegun = true
            defer { forget() }
            return (inside(sample), isAtStart(sample) ? [] : kept)
        }
        // If the keyframe is shown later than the start, the screen shows an earlier frame until then, or frames that
        // depend on earlier frames.
        let startsSession = sample.presentationTime - start < HeldFrame.shortest
        guard isPassthrough else {
            hasBegun = true
            defer { forget() }
            return (sample, startsSession ? [] : heldFrame(until: sample.presentationTime))
        }
        beginsAtKeyframe = sample.isKeyframe && (kept.isEmpty || startsSession)
        // Frames that are shown before the start may still come.
        if movesHeldFrame, !beginsAtKeyframe, (sample.decodeTime ?? sample.presentationTime) < start {
            append(sample)
            return nil
        }
        hasBegun = true
        defer { forget() }
        return (sample, beginsAtKeyframe ? [] : lead(before: sample))
    }

    /// Ends the track. Returns the kept frame, title, timecode or metadata that is still active in the session, unless
    /// the session has already shown something.
    ///
    /// - Parameter lastFrameEnd: the earliest time at which the last frame may end; nil if the frame ends after its own
    ///   duration.
    mutating func rest(lastFrameEnd: MediaTime? = nil) -> [SampleBuffer] {
        defer { forget() }
        guard !hasBegun, let last = kept.last else { return [] }
        switch last.format {
        case .text, .timecode, .metadata: break
        case .audio: return []
        case .video:
            let ends = kept.map { sample in sample.duration.map { sample.presentationTime + $0 } ?? .positiveInfinity }
            let end = max(ends.max() ?? start, lastFrameEnd ?? start)
            guard end - start >= HeldFrame.shortest else { return [] }
            hasBegun = true
            return isPassthrough ? lead(before: nil, lastFrameEnd: lastFrameEnd) : heldFrame(until: end)
        }
        hasBegun = true
        return [last]
    }

    /// Returns the kept raw frame with its timestamp moved to the start.
    private func heldFrame(until end: MediaTime) -> [SampleBuffer] {
        kept.map { $0.at(start).lasting(end.isNumeric ? end - start : nil) }
    }

    /// Returns the kept packets. Moves the frame that is on screen at the start to the start.
    ///
    /// - Parameters:
    ///   - next: the packet that follows them; nil at the end.
    ///   - lastFrameEnd: if no packet follows, the earliest time at which the last frame may end; nil if the frame ends
    ///     after its own duration.
    private func lead(before next: SampleBuffer?, lastFrameEnd: MediaTime? = nil) -> [SampleBuffer] {
        guard movesHeldFrame, let first = kept.first else { return kept }
        // Leading frames of the keyframe depend on packets that are missing here.
        var lead = kept.filter { $0.presentationTime >= min(first.presentationTime, start) }
        let isShown = (lead + [next].compactMap(\.self)).contains {
            $0.presentationTime >= start && $0.presentationTime - start < HeldFrame.shortest
        }
        let before = lead.indices.filter { lead[$0].presentationTime < start }
        guard !isShown, let index = before.max(by: { lead[$0].presentationTime < lead[$1].presentationTime }) else {
            return lead
        }
        let held = lead[index]
        let distance = start - held.presentationTime
        var rest = held.duration.map { max($0 - distance, HeldFrame.shortest) }
        if let lastFrameEnd { rest = rest.map { max($0, lastFrameEnd - start) } }
        if lead.count == 1, held.decodeTime == nil {
            lead[index] = held.at(start).lasting(rest)
        } else {
            lead[index] = held.at(start).decoded(at: held.decodeTime ?? held.presentationTime).lasting(rest)
        }
        return lead
    }

    mutating func forget() {
        kept = []
        keptBytes = 0
    }

    private mutating func keep(_ sample: SampleBuffer) {
        switch sample.format {
        case .video: if sample.isKeyframe { forget() }
        case .audio: break
        case .timecode, .text, .metadata: forget()
        }
        append(sample)
        if case .audio(let format) = sample.format { forgetUnneededAudio(AudioPreroll.stored(format)) }
    }

    /// Forgets audio that no packet of the session needs. A TrueHD packet depends on all packets since the last
    /// keyframe. In other codecs every packet is a keyframe.
    ///
    /// - Parameter needed: the number of packets that are needed.
    private mutating func forgetUnneededAudio(_ needed: Int) {
        guard kept.count > needed, needed > 0 else { return }
        let last = kept.count - needed
        // A keyframe that reaches the index `last` becomes the first packet, so no keyframe is between `kept[0]` and
        // `kept[last]`.
        guard kept[last].isKeyframe || !kept[0].isKeyframe else { return }
        for sample in kept[..<last] { keptBytes -= sample.byteCount }
        kept.removeFirst(last)
    }

    private mutating func append(_ sample: SampleBuffer) {
        // A single raw frame is kept, whatever its size.
        guard kept.isEmpty || keptBytes + sample.byteCount <= limit else { return forget() }
        kept.append(sample)
        keptBytes += sample.byteCount
    }

    /// Returns true for a title, a timecode or metadata that begins exactly with the session. It replaces the one that
    /// was active before.
    private func isAtStart(_ sample: SampleBuffer) -> Bool {
        sample.presentationTime == start && [.text, .timecode, .metadata].contains(sample.format.mediaType)
    }

    private func lastsIntoSession(_ sample: SampleBuffer) -> Bool {
        guard case .audio(let format) = sample.format else { return false }
        if format.bytesPerFrame != nil { return true }
        return sample.duration.map { sample.presentationTime + $0 > start } ?? false
    }

    private func framesBefore(_ sample: SampleBuffer, rate: Int) -> Int {
        Int((start - sample.presentationTime).ticks(in: Int32(clamping: rate)))
    }

    /// Removes the PCM before the start, exact to the audio frame. The result shares the memory of the full sample.
    private func inside(_ sample: SampleBuffer) -> SampleBuffer {
        guard sample.presentationTime < start, case .audio(let format) = sample.format,
            let bytesPerFrame = format.bytesPerFrame, case .data(let data) = sample.content
        else { return sample }
        let early = framesBefore(sample, rate: format.sampleRate)
        guard early > 0, early < sample.sampleCount else { return sample }
        let bytes = UnsafeRawBufferPointer(rebasing: data.bytes[(early * bytesPerFrame)...])
        return SampleBuffer(
            pcm: MediaData(borrowing: bytes) { _ = data }, format: format,
            presentationTime: sample.presentationTime
                + MediaTime(value: Int64(early), timescale: Int32(clamping: format.sampleRate))
        )
        // A packet that another file accounts for counts as 0.
        .accounting(for: min(sample.ledgerCount, Int64(sample.sampleCount - early)))
    }
}

extension SessionEntry {
    init(_ traits: TrackTraits) {
        self.init(
            isPassthrough: traits.isPassthrough, movesHeldFrame: traits.movesHeldFrame,
            keepsLeadingFrames: traits.keepsLeadingFrames,
            // The packets of a GOP that ends in the session must all be stored. Those of a copy are still in their file.
            limit: traits.isRealTime ? Self.liveLimit : .max)
    }
}

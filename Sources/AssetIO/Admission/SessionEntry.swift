package import MediaTypes

/// Decides what of a track's samples lies in the session, and what of those before it is needed to decode it. A pure value.
///
/// - A session shows the frame that is on screen at its start: of raw frames before it the last one, moved to the start.
///   PCM is cut to the sample.
/// - Packets before it are stored as far as decoding needs them, and the edit list hides them: video from the last keyframe
///   shown at or before the start, audio from two packets before, of titles and timecodes the one that is on at the start.
///   The frame on screen is moved to the start, where players expect the first frame of an edit.
/// - A track of packets begins with a key frame.
package struct SessionEntry: Sendable {
    /// Packets kept for a start that does not come take no more memory than this; then the next key frame is waited for.
    static let limit = 64 << 20
    /// AAC needs the packet before the one that is heard, HE-AAC a little more.
    private static let soundPackets = 2

    private let isPassthrough: Bool
    private let movesHeldFrame: Bool
    private var start = MediaTime.invalid
    private var kept: [SampleBuffer] = []
    private var keptBytes = 0
    private var hasBegun = false
    /// The first packet stored is a keyframe at the start, or the first there is: frames that are shown before the start, and
    /// come later, need frames that nobody stores.
    private var beginsAtKeyFrame = false

    /// - Parameter movesHeldFrame: the frame on screen at the start is moved there; packets wait until it is known. false: of
    ///   raw frames the first is one that begins in the session, and no packet waits.
    package init(isPassthrough: Bool, movesHeldFrame: Bool = false) {
        self.isPassthrough = isPassthrough
        self.movesHeldFrame = movesHeldFrame
    }

    package mutating func begin(at start: MediaTime) { self.start = start }

    /// Nothing of the sample is stored or kept.
    package func isOutside(_ sample: SampleBuffer) -> Bool {
        guard sample.presentationTime < start else { return false }
        switch sample.format {
        case .video: return isPassthrough ? hasBegun && beginsAtKeyFrame : hasBegun || !movesHeldFrame
        case .audio(let format):
            return format.bytesPerFrame != nil && framesBefore(sample, rate: format.sampleRate) >= sample.sampleCount
        case .timecode, .text: return false
        }
    }

    /// Whether decoding can begin at, or go on with, this sample.
    package func canDecode(_ sample: SampleBuffer) -> Bool {
        hasBegun || !isPassthrough || sample.isKeyFrame || !kept.isEmpty
    }

    /// Takes a sample that is not outside.
    ///
    /// - Returns: what goes to the encoder now, after everything in `earlier`; nil: it is kept for the start.
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
        // Until a later keyframe is shown, a frame from before it is on screen, or frames that need those before.
        let startsSession = sample.presentationTime - start < HeldFrame.shortest
        guard isPassthrough else {
            hasBegun = true
            defer { forget() }
            return (sample, startsSession ? [] : heldFrame(until: sample.presentationTime))
        }
        beginsAtKeyFrame = sample.isKeyFrame && (kept.isEmpty || startsSession)
        // Frames that are shown before the start may still come.
        if movesHeldFrame, !beginsAtKeyFrame, (sample.decodeTime ?? sample.presentationTime) < start {
            append(sample)
            return nil
        }
        hasBegun = true
        defer { forget() }
        return (sample, beginsAtKeyFrame ? [] : lead(before: sample))
    }

    /// What is on when the track ends before the session has shown anything else: a frame, a title, a timecode.
    mutating func rest() -> [SampleBuffer] {
        defer { forget() }
        guard !hasBegun, let last = kept.last else { return [] }
        switch last.format {
        case .text, .timecode: break
        case .audio: return []
        case .video:
            let ends = kept.map { sample in sample.duration.map { sample.presentationTime + $0 } ?? .positiveInfinity }
            guard let end = ends.max(), end - start >= HeldFrame.shortest else { return [] }
            hasBegun = true
            return isPassthrough ? lead(before: nil) : heldFrame(until: end)
        }
        hasBegun = true
        return [last]
    }

    /// The kept raw frame, as one that begins at the start.
    private func heldFrame(until end: MediaTime) -> [SampleBuffer] {
        kept.map { $0.at(start).lasting(end.isNumeric ? end - start : nil) }
    }

    /// The kept packets, with the frame that is on screen at the start moved there.
    ///
    /// - Parameter next: the packet that follows them; nil at the end.
    private func lead(before next: SampleBuffer?) -> [SampleBuffer] {
        guard movesHeldFrame, let first = kept.first else { return kept }
        // What is shown before the keyframe but stored behind it needs packets that are not here.
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
        let rest = held.duration.map { max($0 - distance, HeldFrame.shortest) }
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
        case .video: if sample.isKeyFrame { forget() }
        case .audio: if kept.count == Self.soundPackets { keptBytes -= kept.removeFirst().byteCount }
        case .timecode, .text: forget()
        }
        append(sample)
    }

    private mutating func append(_ sample: SampleBuffer) {
        // A raw frame is one alone, however large.
        guard kept.isEmpty || keptBytes + sample.byteCount <= Self.limit else { return forget() }
        kept.append(sample)
        keptBytes += sample.byteCount
    }

    /// A title that begins with the session replaces the one before it.
    private func isAtStart(_ sample: SampleBuffer) -> Bool {
        sample.presentationTime == start && (sample.format.mediaType == .text || sample.format.mediaType == .timecode)
    }

    private func lastsIntoSession(_ sample: SampleBuffer) -> Bool {
        guard case .audio(let format) = sample.format else { return false }
        if format.bytesPerFrame != nil { return true }
        return sample.duration.map { sample.presentationTime + $0 > start } ?? false
    }

    private func framesBefore(_ sample: SampleBuffer, rate: Int) -> Int {
        Int((start - sample.presentationTime).ticks(in: Int32(clamping: rate)))
    }

    /// PCM is cut to the frame; the rest borrows the memory of the whole.
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
        // Of a packet that another file accounts for nothing counts.
        .accounting(for: min(sample.ledgerCount, Int64(sample.sampleCount - early)))
    }
}

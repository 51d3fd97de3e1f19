package import MediaTypes

/// Decides what of a track's samples lies in the session, and what of those before it is needed to decode it. A pure value.
///
/// - Raw pictures before the session's start are left out; PCM is cut to the frame.
/// - Packets before it are stored as far as decoding needs them, and the edit list hides them: pictures from the last
///   key frame on, sound from two packets before, of titles and timecodes the one that is on at the start.
/// - A track of packets begins with a key frame.
package struct SessionEntry: Sendable {
    /// Packets kept for a start that does not come take no more memory than this; then the next key frame is waited for.
    static let limit = 64 << 20
    /// AAC needs the packet before the one that is heard, HE-AAC a little more.
    private static let soundPackets = 2

    private let isPassthrough: Bool
    private var start = MediaTime.invalid
    private var kept: [SampleBuffer] = []
    private var keptBytes = 0
    private var hasBegun = false
    /// The first packet stored is a key frame at or after the start: what is shown before it, and comes later, leans on
    /// pictures that nobody stores.
    private var beginsAtKeyFrame = false

    package init(isPassthrough: Bool) { self.isPassthrough = isPassthrough }

    package mutating func begin(at start: MediaTime) { self.start = start }

    /// Nothing of the sample is stored or kept.
    package func isOutside(_ sample: SampleBuffer) -> Bool {
        guard sample.presentationTime < start else { return false }
        switch sample.format {
        case .video: return !isPassthrough || (hasBegun && beginsAtKeyFrame)
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
        hasBegun = true
        let isVideo = sample.format.mediaType == .video
        beginsAtKeyFrame = isVideo && sample.isKeyFrame
        defer { forget() }
        return (inside(sample), beginsAtKeyFrame || isAtStart(sample) ? [] : kept)
    }

    /// The title or timecode that is on when the track ends before the session has shown another.
    mutating func rest() -> [SampleBuffer] {
        defer { forget() }
        guard !hasBegun, let last = kept.last, last.format.mediaType == .text || last.format.mediaType == .timecode
        else {
            return []
        }
        hasBegun = true
        return [last]
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
        guard keptBytes + sample.byteCount <= Self.limit else { return forget() }
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

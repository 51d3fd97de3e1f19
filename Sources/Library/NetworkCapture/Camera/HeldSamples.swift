import MediaTypes

/// The samples of one stream that wait for its start, within limits. A plain value.
///
/// Video is held from the latest keyframe on, without its leading frames. If it needs more than 32 MiB, it is discarded
/// up to the next keyframe. Of the audio, the last three seconds are held.
struct HeldSamples: Sendable {
    static let mostBytes = 32 << 20
    static let longestAudio = MediaTime(value: 3, timescale: 1)

    private(set) var samples: [SampleBuffer] = []
    private var byteCount = 0
    /// True if frames were discarded, so that the next ones cannot be decoded before a keyframe.
    private(set) var needsKeyframe = false
    /// The time of the keyframe that the video begins with; nil once another keyframe was delivered.
    private var firstKeyframe: MediaTime?
    /// Selects the frames that can be decoded after those that `take` returned.
    private var entry = DecodingEntry()

    mutating func add(_ sample: SampleBuffer) {
        if sample.format.mediaType == .video {
            if sample.isKeyframe {
                forget()
                firstKeyframe = sample.presentationTime
            }
            guard !needsKeyframe, !isBeforeFirst(sample) else { return }
        } else {
            let horizon = sample.endTime - Self.longestAudio
            let old = samples.prefix { $0.endTime < horizon }.count
            for sample in samples.prefix(old) { byteCount -= sample.byteCount }
            samples.removeFirst(old)
        }
        samples.append(sample)
        byteCount += sample.byteCount
        guard byteCount > Self.mostBytes else { return }
        forget()
        guard sample.format.mediaType == .video else { return }
        needsKeyframe = true
        entry.leaveOut()
    }

    /// Returns true for a leading frame of the keyframe that the video begins with. Its time is before the beginning.
    func isBeforeFirst(_ sample: SampleBuffer) -> Bool {
        guard let firstKeyframe, sample.format.mediaType == .video, !sample.isKeyframe else { return false }
        return sample.presentationTime < firstKeyframe
    }

    /// Returns the samples, and keeps none.
    mutating func take() -> [SampleBuffer] {
        let taken = samples
        samples = []
        byteCount = 0
        return taken
    }

    /// Returns true if a sample can be decoded after those that `take` returned.
    mutating func mayFollow(_ sample: SampleBuffer) -> Bool {
        guard sample.format.mediaType == .video else { return true }
        if sample.isKeyframe { (needsKeyframe, firstKeyframe) = (false, nil) }
        return entry.admits(sample)
    }

    private mutating func forget() {
        _ = take()
        needsKeyframe = false
        firstKeyframe = nil
        entry = DecodingEntry()
    }
}

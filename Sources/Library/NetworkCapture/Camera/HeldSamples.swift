import MediaTypes

/// The samples of one stream that wait for its start, within limits. A plain value.
///
/// Video begins with the latest keyframe, and is forgotten up to the next one if it needs more than 32 MiB; audio is
/// that of the last three seconds.
struct HeldSamples: Sendable {
    static let mostBytes = 32 << 20
    static let longestAudio = MediaTime(value: 3, timescale: 1)

    private(set) var samples: [SampleBuffer] = []
    private var byteCount = 0
    /// True if frames were forgotten, so that the next ones cannot be decoded before a keyframe.
    private(set) var needsKeyframe = false

    mutating func add(_ sample: SampleBuffer) {
        if sample.format.mediaType == .video {
            if sample.isKeyframe { forget() }
            guard !needsKeyframe else { return }
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
        needsKeyframe = sample.format.mediaType == .video
    }

    /// Returns the samples, and keeps none.
    mutating func take() -> [SampleBuffer] {
        let taken = samples
        samples = []
        byteCount = 0
        return taken
    }

    /// Returns true if a sample can be decoded after those that were taken.
    mutating func mayFollow(_ sample: SampleBuffer) -> Bool {
        if sample.isKeyframe { needsKeyframe = false }
        return !needsKeyframe
    }

    private mutating func forget() {
        _ = take()
        needsKeyframe = false
    }
}

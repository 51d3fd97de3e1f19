import DequeModule
import MediaTypes

/// The newest samples of a track that is not encoded: what its encoder begins with when packets are needed again. A pure value.
///
/// An encoder holds back half a second of frames before its first packet. With these it gives that packet at once, and a recording
/// begins at the moment it was asked for.
struct RestingSamples {
    static let length = MediaTime(value: 1, timescale: 2)
    /// Samples in here never take more than this.
    static let mostBytes = 64 << 20
    /// What may wait for an encoder that is still being opened.
    static let longest = MediaTime(value: 4, timescale: 1)

    private(set) var samples: Deque<SampleBuffer> = []
    private var byteCount = 0

    /// - Parameter isAwaited: packets are needed already, and the encoder is not there yet: samples are kept as long as possible.
    /// - Returns: how many frames, of video or of audio, had to go for it.
    mutating func append(_ sample: SampleBuffer, isAwaited: Bool) -> Int64 {
        samples.append(sample)
        byteCount += sample.byteCount
        let horizon = sample.endTime - (isAwaited ? Self.longest : Self.length)
        var removed: Int64 = 0
        while samples.count > 1, let first = samples.first, first.endTime <= horizon || byteCount > Self.mostBytes {
            byteCount -= first.byteCount
            removed += first.ledgerCount
            samples.removeFirst()
        }
        return removed
    }

    mutating func removeAll() {
        samples.removeAll()
        byteCount = 0
    }
}

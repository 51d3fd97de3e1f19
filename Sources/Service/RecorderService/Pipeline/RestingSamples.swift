import DequeModule
import MediaTypes

/// The newest samples of a track that rests, which means that it is not encoded now. The encoder begins with them when
/// packets are needed again. Also the samples of a track whose encoder is being opened. A pure value.
///
/// An encoder sends its first packet only after half a second of frames. With these samples it sends that packet at
/// once, and a recording begins at the requested time.
struct RestingSamples {
    static let length = MediaTime(value: 1, timescale: 2)
    /// Maximum bytes of all kept samples.
    static let mostBytes = 64 << 20
    /// Maximum time of samples that wait for an encoder that is being opened.
    static let longest = MediaTime(value: 4, timescale: 1)

    private(set) var samples: Deque<SampleBuffer> = []
    private var byteCount = 0

    /// Adds a sample.
    ///
    /// - Parameter isAwaited: True if packets are needed, but the encoder is not open yet. Then samples are kept as
    ///   long as possible.
    /// - Returns: The number of frames or audio frames that were removed to stay within the limits.
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

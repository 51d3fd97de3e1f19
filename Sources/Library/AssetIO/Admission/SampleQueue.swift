import DequeModule
import MediaTypes

/// The samples that wait for one track's encoder, bounded by time, bytes and count. A pure value.
struct SampleQueue {
    private var samples: Deque<SampleBuffer> = []
    private(set) var byteCount = 0
    private let budget: RealTimeBudget
    private let maximumCount: Int
    /// The number of waiting samples below which the time limit does not apply.
    private static let fewest = 4

    /// The number of samples that always fit, whatever their size.
    private let minimumCount: Int

    init(budget: RealTimeBudget, maximumCount: Int = .max, minimumCount: Int = 1) {
        self.budget = budget
        self.minimumCount = minimumCount
        self.maximumCount = maximumCount
        samples.reserveCapacity(64)
    }

    /// Returns the queue of a source that can wait. It holds just enough to keep an encoder busy: four frames of 720p,
    /// and at least three frames of any size. It has no time limit, because interleaving limits the time.
    static func pull() -> SampleQueue {
        SampleQueue(
            budget: RealTimeBudget(duration: .positiveInfinity, bytes: 6 << 20), maximumCount: 32, minimumCount: 3)
    }

    var count: Int { samples.count }

    /// Returns true if the queue accepts the sample. A queue that is not full accepts any sample, so an input that has
    /// reported that it is ready never refuses a sample. A full queue still accepts a sample that fits into the rest of
    /// its budget.
    func hasRoom(for sample: SampleBuffer) -> Bool { !isFull || fits(sample) }

    /// Returns true if the budget has room for this sample.
    private func fits(_ sample: SampleBuffer) -> Bool {
        guard let oldest = samples.first, samples.count >= minimumCount else { return true }
        // The time limit does not apply to a few samples: after a pause of the device they may be far apart.
        let isInTime =
            samples.count < Self.fewest || sample.presentationTime - oldest.presentationTime <= budget.duration
        return isInTime && samples.count < maximumCount && byteCount + sample.byteCount <= budget.bytes
    }

    /// The time from the oldest sample to the newest.
    private var span: MediaTime {
        guard let oldest = samples.first, let newest = samples.last else { return .zero }
        return newest.presentationTime - oldest.presentationTime
    }

    /// The used part of the budget, from 0 to about 1.
    var fill: Double {
        guard samples.count >= Self.fewest else { return 0 }
        let ofTime = budget.duration > .zero ? span.seconds / budget.duration.seconds : 0
        return max(ofTime, Double(byteCount) / Double(max(1, budget.bytes)))
    }

    /// True if the budget has no room for another sample as large as the largest so far. An empty queue is never full.
    var isFull: Bool {
        guard samples.count >= minimumCount else { return false }
        let isLate = samples.count >= Self.fewest && span >= budget.duration
        return samples.count >= maximumCount || isLate || largestSample > budget.bytes - byteCount
    }

    /// True if the queue is half full. The encoder then starts even if few samples wait.
    var isHalfFull: Bool {
        samples.count >= maximumCount / 2 || byteCount >= budget.bytes / 2 || span + span >= budget.duration
    }

    /// The number of waiting audio frames or video samples.
    private(set) var sampleCount = 0

    /// The size of the largest sample so far, in bytes. The queue reserves this much room for the next one.
    private var largestSample = 0

    mutating func append(_ sample: SampleBuffer) {
        samples.append(sample)
        byteCount += sample.byteCount
        largestSample = max(largestSample, sample.byteCount)
        sampleCount += sample.sampleCount
    }

    mutating func popFirst() -> SampleBuffer? {
        guard let sample = samples.popFirst() else { return nil }
        byteCount -= sample.byteCount
        sampleCount -= sample.sampleCount
        return sample
    }

    mutating func removeAll() {
        samples.removeAll()
        byteCount = 0
        sampleCount = 0
    }
}

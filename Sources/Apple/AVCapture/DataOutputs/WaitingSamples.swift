import DequeModule
import MediaTypes

/// The samples that wait for a delegate, and the reports of those that were dropped. A plain value.
///
/// The numbers of samples and of reports are bounded. If a delegate blocks for an hour, samples are dropped and
/// counted, and memory use does not grow.
struct WaitingSamples: Sendable {
    enum Limit: Sendable, Equatable {
        /// Only the latest frame waits. If a frame already waits when a new one comes, the older one is dropped as
        /// late.
        case latest
        /// Samples wait up to a maximum number and a maximum size in bytes. A sample above these limits is dropped.
        case samples(count: Int, bytes: Int)
    }

    enum Reason: Sendable, Equatable {
        /// A newer frame came before the delegate was ready for this one.
        case late
        /// Too many samples waited.
        case full
        /// The device lost frames before this time.
        case lost(count: Int64)
    }

    /// A report of a frame that the delegate does not get.
    struct Drop: Sendable {
        var format: FormatDescription?
        var time: MediaTime
        var reason: Reason

        /// True for frames that the device lost.
        var isLoss: Bool { if case .lost = reason { true } else { false } }
    }

    enum Item: Sendable {
        case sample(SampleBuffer)
        case dropped(Drop)
    }

    /// The maximum number of waiting reports. Older reports are discarded, but the ledger still counts their frames.
    static let mostDrops = 64

    let limit: Limit
    /// True if drops are reported as well as counted.
    let reportsDrops: Bool
    private(set) var ledger = AVCaptureLedger()
    private var samples: Deque<SampleBuffer> = []
    private var drops: Deque<Drop> = []
    private var bytes = 0
    private var lastFormat: FormatDescription?

    init(_ limit: Limit, reportsDrops: Bool) {
        self.limit = limit
        self.reportsDrops = reportsDrops
        switch limit {
        case .latest: samples.reserveCapacity(2)
        case .samples(let count, _): samples.reserveCapacity(count)
        }
        if reportsDrops { drops.reserveCapacity(Self.mostDrops) }
    }

    /// Creates an empty value with another limit, which continues the counts of `other`.
    init(_ limit: Limit, continuing other: WaitingSamples) {
        self.init(limit, reportsDrops: other.reportsDrops)
        ledger = other.ledger
        lastFormat = other.lastFormat
    }

    var isEmpty: Bool { samples.isEmpty && drops.isEmpty }

    mutating func add(_ sample: SampleBuffer) {
        let count = Int64(sample.sampleCount)
        ledger.captured += count
        if reportsDrops { lastFormat = sample.format }
        switch limit {
        case .latest:
            if let old = samples.popFirst() {
                bytes -= old.byteCount
                drop(old, .late)
            }
        case .samples(let mostSamples, let mostBytes):
            guard samples.count < mostSamples, samples.isEmpty || bytes + sample.byteCount <= mostBytes else {
                return drop(sample, .full)
            }
        }
        samples.append(sample)
        bytes += sample.byteCount
    }

    /// Records that the device lost samples.
    mutating func lose(_ count: Int64, near time: MediaTime) {
        ledger.captured += count
        ledger.lost += count
        report(Drop(format: lastFormat, time: time, reason: .lost(count: count)))
    }

    /// Removes the earliest sample or report and returns it; nil if there is none.
    mutating func next() -> Item? {
        if let drop = drops.first, samples.first.map({ drop.time <= $0.presentationTime }) ?? true {
            drops.removeFirst()
            return .dropped(drop)
        }
        guard let sample = samples.popFirst() else { return nil }
        bytes -= sample.byteCount
        ledger.delivered += Int64(sample.sampleCount)
        return .sample(sample)
    }

    /// Removes all samples and reports when the delegate or the limit changes. Counts the samples as late.
    mutating func clear() {
        while let sample = samples.popFirst() { ledger.late += Int64(sample.sampleCount) }
        drops.removeAll(keepingCapacity: true)
        bytes = 0
    }

    private mutating func drop(_ sample: SampleBuffer, _ reason: Reason) {
        let count = Int64(sample.sampleCount)
        if reason == .full { ledger.full += count } else { ledger.late += count }
        report(Drop(format: sample.format, time: sample.presentationTime, reason: reason))
    }

    private mutating func report(_ drop: Drop) {
        guard reportsDrops else { return }
        if drops.count == Self.mostDrops { drops.removeFirst() }
        // A frame from before a loss may be reported as late after the loss, so reports are sorted by their times.
        let place = drops.lastIndex { $0.time <= drop.time }.map { $0 + 1 } ?? 0
        drops.insert(drop, at: place)
    }
}

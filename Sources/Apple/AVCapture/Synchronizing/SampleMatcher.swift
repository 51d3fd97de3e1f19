import DequeModule

/// Groups samples that several outputs captured at the same time. A plain value.
///
/// The first output leads. A sample of another output belongs to the leader's sample if their times differ by at most
/// half of the interval between samples. If the two outputs have different intervals, the shorter one counts. With this
/// tolerance, even the samples of cameras that each have their own clock match. Every other sample forms a group by
/// itself. Groups are returned in the order of their times.
struct SampleMatcher<Item: Sendable>: Sendable {
    struct Match: Sendable {
        var output: Int
        var item: Item
    }

    private struct Entry: Sendable {
        var time: Int64
        var item: Item
        var isAlone: Bool
    }

    /// The samples of one output, in the order of their times.
    private struct Line: Sendable {
        var waiting: Deque<Entry> = []
        var latest: Int64?
        /// The time between two samples in nanoseconds. Initially the frame interval at 30 frames a second.
        var interval: Int64 = 33_333_333
        var hasEnded = false

        /// Adapts the interval: immediately to a shorter one, but slowly to a longer one, because samples may be
        /// missing.
        mutating func note(_ time: Int64, after latest: Int64) {
            let step = time - latest
            guard step > 0 else { return }
            interval = step < interval ? step : min(step, interval + interval / 8)
        }
    }

    /// The maximum wait for silent outputs, in nanoseconds. A sample no longer waits if the newest sample is later by
    /// more than this.
    static var patience: Int64 { 250_000_000 }
    /// The maximum number of samples that wait, regardless of their times.
    static var mostWaiting: Int { 64 }

    private var lines: [Line]
    private var newest: Int64 = 0
    private(set) var waitingCount = 0

    init(outputCount: Int) { lines = Array(repeating: Line(), count: outputCount) }

    /// Adds the next sample of an output.
    ///
    /// - Parameters:
    ///   - time: The sample's time in nanoseconds.
    ///   - isAlone: True for an item that cannot be matched with a sample of another output.
    mutating func add(_ item: Item, at time: Int64, from output: Int, isAlone: Bool = false) {
        if !isAlone {
            if let latest = lines[output].latest { lines[output].note(time, after: latest) }
            lines[output].latest = time
        }
        newest = waitingCount == 0 ? time : max(newest, time)
        lines[output].waiting.append(Entry(time: time, item: item, isAlone: isAlone))
        waitingCount += 1
    }

    /// Records whether an output has ended, so that it delivers nothing more.
    mutating func setEnded(_ hasEnded: Bool, _ output: Int) {
        lines[output].hasEnded = hasEnded
        if hasEnded { lines[output].latest = nil }
    }

    /// Removes the earliest group and returns it; nil while a sample that belongs to the group may still come.
    mutating func next() -> [Match]? {
        guard let center = earliest(), let head = lines[center].waiting.first else { return nil }
        guard waitingCount > Self.mostWaiting || isSettled(head.time, center) else { return nil }
        var group: [Match] = []
        for output in lines.indices where belongs(output, to: head, of: center) {
            guard let entry = lines[output].waiting.popFirst() else { continue }
            waitingCount -= 1
            group.append(Match(output: output, item: entry.item))
        }
        return group
    }

    /// Returns the output whose first waiting sample determines the next group; nil if no sample waits.
    private func earliest() -> Int? {
        let filled = lines.indices.filter { !lines[$0].waiting.isEmpty }
        guard let first = filled.min(by: { time($0) < time($1) }) else { return nil }
        guard filled.first == 0 else { return first }
        // An item that is too early to belong to the leader's sample comes before that sample. An item that is alone
        // also comes before it if a later sample of the same output may belong to the leader's sample.
        let before = filled.filter { output in
            let distance = isAlone(output) ? -tolerance(0, output) : tolerance(0, output)
            return output != 0 && time(output) < time(0) - distance
        }
        return before.min { time($0) < time($1) } ?? 0
    }

    /// Returns true if no output can still deliver a sample that belongs to a sample at `time`.
    private func isSettled(_ time: Int64, _ center: Int) -> Bool {
        if newest - time > Self.patience { return true }
        return lines.indices.allSatisfy { output in
            let line = lines[output]
            if output == center || !line.waiting.isEmpty || line.hasEnded { return true }
            return line.latest.map { $0 > time + tolerance(center, output) } ?? false
        }
    }

    private func belongs(_ output: Int, to head: Entry, of center: Int) -> Bool {
        if output == center { return true }
        guard let entry = lines[output].waiting.first, !entry.isAlone, !head.isAlone else { return false }
        return (entry.time - head.time).magnitude <= tolerance(center, output).magnitude
    }

    private func isAlone(_ output: Int) -> Bool { lines[output].waiting.first?.isAlone ?? false }

    private func time(_ output: Int) -> Int64 { lines[output].waiting.first?.time ?? .max }

    private func tolerance(_ a: Int, _ b: Int) -> Int64 { min(lines[a].interval, lines[b].interval) / 2 }
}

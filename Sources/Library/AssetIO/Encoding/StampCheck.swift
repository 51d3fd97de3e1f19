import MediaTypes

/// Distinguishes a live device's jumps in time from wrong timestamps: a jump is believed if the next block confirms it.
/// A pure value.
///
/// A block whose time does not match the count is held until the next one arrives. If the next block's time follows
/// from the held block's, audio was lost or doubled. Otherwise the timestamp was wrong, and the held block directly
/// follows the previous one. At the start there is no count yet, so blocks are held until two of them agree.
struct StampCheck {
    struct Block: Equatable {
        var sample: SampleBuffer
        /// The measured time of the first frame; nil if its time follows from the frame count.
        var time: MediaTime?

        static func == (a: Block, b: Block) -> Bool {
            a.time == b.time && a.sample.presentationTime == b.sample.presentationTime
        }
    }

    /// The maximum number of blocks that may disagree at the start. The block after them is trusted.
    private static let longestDisagreement = 8

    private let sampleRate: Int32
    private var held: [SampleBuffer] = []

    init(sampleRate: Int) { self.sampleRate = Int32(clamping: sampleRate) }

    /// Returns true if the next block needs no confirmation: no block is held, and the next block's time matches the
    /// count. Such a block can skip `admit`, which allocates an array.
    func isInOrder(_ sample: SampleBuffer, expected: MediaTime?) -> Bool {
        guard held.isEmpty, let expected else { return false }
        return isNear(sample.presentationTime, expected)
    }

    /// Adds the next block, and returns the blocks that are confirmed now, in order.
    ///
    /// - Parameter expected: the counted time of the next block to be returned; nil before the first one.
    mutating func admit(_ sample: SampleBuffer, expected: MediaTime?) -> [Block] {
        guard let expected else { return admitAtStart(sample) }
        guard let jump = held.first else { return admitInOrder(sample, expected: expected) }
        held = []
        let isBelieved = isConfirmed(jump, by: sample, expected: expected)
        let end = end(of: jump, at: isBelieved ? jump.presentationTime : expected)
        return [Block(sample: jump, time: isBelieved ? jump.presentationTime : nil)]
            + admitInOrder(sample, expected: isBelieved ? max(expected, end) : end)
    }

    /// Returns the held blocks at the end. An unconfirmed jump is believed, unless it is too long to be filled.
    mutating func finish(expected: MediaTime?) -> [Block] {
        defer { held = [] }
        return held.map { sample in
            let isTooFar = expected.map { sample.presentationTime - $0 > AudioTimeline.longestSilence } ?? false
            return Block(sample: sample, time: isTooFar ? nil : sample.presentationTime)
        }
    }

    private mutating func admitInOrder(_ sample: SampleBuffer, expected: MediaTime) -> [Block] {
        guard isNear(sample.presentationTime, expected) else {
            held = [sample]
            return []
        }
        return [Block(sample: sample, time: sample.presentationTime)]
    }

    private mutating func admitAtStart(_ sample: SampleBuffer) -> [Block] {
        let isAgreed =
            held.last.map { isNear(sample.presentationTime, end(of: $0, at: $0.presentationTime)) } ?? false
        guard isAgreed || held.count >= Self.longestDisagreement else {
            held.append(sample)
            return []
        }
        // Times are assigned backwards from the block that is believed. A held block keeps its own time if that is
        // earlier than the assigned one, because a gap may follow the block. A later time is impossible.
        var blocks: [Block] = [Block(sample: sample, time: sample.presentationTime)]
        var next = sample.presentationTime
        for before in held.reversed() {
            next -= MediaTime(value: Int64(before.sampleCount), timescale: sampleRate)
            let ahead = next - before.presentationTime
            let isPossible = ahead >= -AudioTimeline.liveTolerance && ahead <= AudioTimeline.longestSilence
            next = isPossible ? before.presentationTime : next
            blocks.append(Block(sample: before, time: next))
        }
        held = []
        return blocks.reversed()
    }

    private func isConfirmed(_ jump: SampleBuffer, by next: SampleBuffer, expected: MediaTime) -> Bool {
        let time = next.presentationTime
        let asStamped = distance(time, end(of: jump, at: jump.presentationTime))
        let asCounted = distance(time, end(of: jump, at: expected))
        // A block from the past may also be a copy of earlier audio. Audio then continues as before.
        let asCopy = jump.presentationTime < expected ? distance(time, expected) : asStamped
        let believed = min(asStamped, asCopy)
        return believed <= AudioTimeline.liveTolerance && believed <= asCounted
    }

    private func end(of sample: SampleBuffer, at time: MediaTime) -> MediaTime {
        time + MediaTime(value: Int64(sample.sampleCount), timescale: sampleRate)
    }

    private func isNear(_ a: MediaTime, _ b: MediaTime) -> Bool { distance(a, b) <= AudioTimeline.liveTolerance }

    private func distance(_ a: MediaTime, _ b: MediaTime) -> MediaTime { a < b ? b - a : a - b }
}

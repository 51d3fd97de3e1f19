import AssetIO
import MediaTypes

/// The encoders that a track has begun, one after the other, and the ledger of the track's samples until they become
/// packets. A value, protected by the track's lock.
///
/// A track's current encoder may have counted drops before it begins. Therefore the caller passes the current encoder
/// to some methods. Its drops are counted once, whether it has begun or not.
struct EncoderHistory {
    /// The number of encoders that have begun. The newest encoder has this number.
    private(set) var count = 0
    /// The audio device's clock, as measured by the last encoder that ended.
    private(set) var clock = AudioClock()
    /// Encoders that have begun and not ended, by their number.
    private var running: [Int: any EncoderGeneration] = [:]
    /// The counts of ended encoders, and of samples without an encoder.
    private var past = Ledger()
    private var pastGaps: (count: Int, frames: Int64) = (0, 0)
    /// The drops that `takeLosses` has returned.
    private var taken = Ledger()

    /// Adds an encoder that begins.
    ///
    /// - Returns: Its number, and the encoders before it that have not ended.
    mutating func begin(_ encoder: any EncoderGeneration) -> (number: Int, predecessors: [any EncoderGeneration]) {
        let predecessors = Array(running.values)
        count += 1
        running[count] = encoder
        return (count, predecessors)
    }

    /// Removes an encoder that could not begin.
    mutating func forget(_ number: Int) { running[number] = nil }

    /// Removes an encoder that has ended, and keeps its counts.
    ///
    /// - Returns: The encoder; nil if it was removed before.
    mutating func end(_ number: Int) -> (any EncoderGeneration)? {
        guard let encoder = running.removeValue(forKey: number) else { return nil }
        let facts = encoder.facts
        past = past + encoder.ledger
        pastGaps = (pastGaps.count + facts.gaps.count, pastGaps.frames + facts.gaps.frames)
        clock = facts.clock
        return encoder
    }

    /// Counts dropped samples that no encoder received.
    mutating func lose(_ count: Int64, _ cause: DropCause) { past.lose(count, cause) }

    /// Returns the drops since the last call, by cause.
    mutating func takeLosses(with current: (any EncoderGeneration)?) -> [(cause: DropCause, count: Int64)] {
        guard leftOut(with: current) != taken.leftOut else { return [] }
        let ledger = ledger(with: current)
        defer { taken = ledger }
        return DropCause.allCases.compactMap { cause in
            let count = ledger[dropped: cause] - taken[dropped: cause]
            return count > 0 ? (cause: cause, count: count) : nil
        }
    }

    func ledger(with current: (any EncoderGeneration)?) -> Ledger {
        let idle = unbegun(current)?.ledger ?? Ledger()
        return running.values.reduce(past + idle) { $0 + $1.ledger }
    }

    var gaps: (count: Int, frames: Int64) {
        running.values.reduce(pastGaps) { sum, encoder in
            let gaps = encoder.facts.gaps
            return (sum.count + gaps.count, sum.frames + gaps.frames)
        }
    }

    /// The ledger's `leftOut`, computed without summing whole ledgers.
    private func leftOut(with current: (any EncoderGeneration)?) -> Int64 {
        let idle = unbegun(current)?.dropped ?? 0
        return running.values.reduce(past.leftOut + idle) { $0 + $1.dropped }
    }

    private func unbegun(_ current: (any EncoderGeneration)?) -> (any EncoderGeneration)? {
        current.flatMap { current in running.values.contains { $0 === current } ? nil : current }
    }
}

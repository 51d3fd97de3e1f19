import MediaTypes
import RealTime
import Synchronization

extension TrackAccount {
    /// The part of one file in a track's account. Its counts are exact for any order of calls, because each count is a
    /// separate sum. The frames that a closed file did not write are computed from these sums.
    ///
    /// `enter` and `release` are called by the threads that append to the file, one thread at a time. In a recording
    /// they are called under the dispatcher's lock. `recordWritten` and `close` are for the file's own thread. Any
    /// thread may call the other methods. Counting a packet needs no lock.
    final class File: Sendable {
        private let entered = Atomic<Int64>(0)
        private let eased = Atomic<Int64>(0)
        private let stored = Atomic<Int64>(0)
        private let isOver = Atomic(false)
        /// The dropped frames. Each of them counts as captured and as dropped.
        private let drops = Locked(Ledger())

        init() {}

        /// Counts the frames of a packet that the file has received.
        func enter(_ packet: SampleBuffer) { enter(packet.ledgerCount, isEased: packet.isEased) }

        func enter(_ count: Int64, isEased: Bool = false) {
            // The order matters: a reader that sees frames in `eased` must also see them in `entered`.
            entered.wrappingAdd(count, ordering: .releasing)
            if isEased { eased.wrappingAdd(count, ordering: .releasing) }
        }

        func lose(_ count: Int64, _ cause: DropCause) { drops.withLock { $0.lose(count, cause) } }

        /// Adds drops of any causes.
        func add(_ losses: Ledger) { drops.withLock { $0 = $0 + losses } }

        /// Counts frames that are safely stored. Has no effect on a closed file, which has failed or ended.
        func recordWritten(_ count: Int64) {
            if !isClosed { stored.wrappingAdd(count, ordering: .releasing) }
        }

        /// Removes frames that this file received, but that the next file stores and counts.
        ///
        /// - Parameter part: The counts of these frames: the captured ones, those encoded with reduced effort, and
        ///   those that were written but are lost with the file.
        func release(_ part: Ledger) {
            // The counts are changed under the lock, so that no reader sees only a part of the change.
            drops.withLock { _ in
                stored.wrappingSubtract(part.written, ordering: .releasing)
                eased.wrappingSubtract(part.eased, ordering: .releasing)
                entered.wrappingSubtract(part.captured, ordering: .releasing)
            }
        }

        /// Declares that the file stores nothing more. Frames that it received but did not write count as dropped by
        /// the disk, unless another file stores them.
        func close() { isOver.store(true, ordering: .releasing) }

        var isClosed: Bool { isOver.load(ordering: .acquiring) }
        var written: Int64 { stored.load(ordering: .acquiring) }

        var ledger: Ledger {
            drops.withLock { drops in
                var ledger = drops
                // The order matters: no frame is written or counted as eased before it has entered.
                let isFinal = isClosed
                ledger.written = written
                ledger.eased = eased.load(ordering: .acquiring)
                ledger.captured += entered.load(ordering: .acquiring)
                if isFinal { ledger[dropped: .disk] += ledger.pending }
                return ledger
            }
        }
    }
}

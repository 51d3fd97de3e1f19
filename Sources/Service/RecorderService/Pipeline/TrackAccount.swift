import MediaTypes
import RealTime

/// The ledger of one track of one recording, from the encoded packet on. Every frame is counted once, in the part of
/// one file. A drop that no file can count is counted apart from the files.
///
/// Before the packet, a frame is in the ledger of its encoder. The recording owns the account, and reads it for the
/// status. The dispatcher passes each file its part, and the router decides which file counts a drop.
///
/// Thread-safe. The lock is taken when a file begins or is settled, for each drop, and for reading, but not for a
/// packet. It is acquired after the dispatcher's lock, and before those of the parts.
final class TrackAccount: Sendable {
    private struct State {
        /// The drops that no file has counted.
        var unassigned = Ledger()
        /// The parts of the files that are neither finalized nor lost, by the file's number.
        var files: [Int: File] = [:]
        /// The sum of the parts of finalized and lost files. A recording of a year has too many files to keep each
        /// part.
        var settled = Ledger()
    }

    private let state = Locked(State())

    /// Adds the part of a file that begins.
    func begin(_ number: Int) -> File {
        // A recording gives each number to one file only.
        let file = File()
        state.withLock { $0.files[number] = file }
        return file
    }

    /// Counts dropped frames.
    ///
    /// - Parameter number: The file that counts them; nil if no open file has this track.
    func lose(_ count: Int64, _ cause: DropCause, in number: Int?) {
        state.withLock { state in
            guard let number else { return state.unassigned.lose(count, cause) }
            guard let file = state.files[number] else { return state.settled.lose(count, cause) }
            file.lose(count, cause)
        }
    }

    /// Assigns the drops that no file has counted yet to a file.
    func assignLosses(to number: Int) {
        state.withLock { state in
            guard let file = state.files[number] else { return }
            file.add(state.unassigned)
            state.unassigned = Ledger()
        }
    }

    /// Adds the part of a file that is finalized or lost to the sum, and removes it. Has no effect on a file that was
    /// settled before.
    func settle(_ number: Int) {
        state.withLock { state in
            guard let file = state.files.removeValue(forKey: number) else { return }
            state.settled = state.settled + file.ledger
        }
    }

    /// The sum of all files, and of the drops that no file has counted.
    var ledger: Ledger {
        state.withLock { state in state.files.values.reduce(state.settled + state.unassigned) { $0 + $1.ledger } }
    }

    /// The drops that no file has counted yet, or will ever count.
    var unassigned: Ledger { state.withLock { $0.unassigned } }
}

extension Ledger {
    /// Counts dropped frames that never became packets.
    mutating func lose(_ count: Int64, _ cause: DropCause) {
        captured += count
        self[dropped: cause] += count
    }
}

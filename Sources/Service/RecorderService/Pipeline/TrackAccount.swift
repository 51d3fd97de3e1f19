import MediaTypes
import RealTime

/// The ledger of one track of one recording. It counts frames once they are encoded packets. Every frame is counted
/// once, in the part of one file. Drops that no file can count are counted separately.
///
/// Before a frame becomes a packet, it is counted in the ledger of its encoder. The recording owns the account, and
/// reads it for the status. The dispatcher passes each file its part, and the router decides which file counts a drop.
///
/// Thread-safe. The lock is acquired when a file begins or is settled, for each drop, and for reading, but not for a
/// packet. It is acquired after the dispatcher's lock, and before the locks of the parts.
final class TrackAccount: Sendable {
    private struct State {
        /// The drops that no file has counted.
        var unassigned = Ledger()
        /// The parts of the files that are not settled yet, by the file's number.
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

    /// Assigns the drops that no file has counted yet to this file.
    func assignLosses(to number: Int) {
        state.withLock { state in
            guard let file = state.files[number] else { return }
            file.add(state.unassigned)
            state.unassigned = Ledger()
        }
    }

    /// Adds the part of a finalized or lost file to the sum, and removes the part. Has no effect on a file that was
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

    /// The drops that no file has counted.
    var unassigned: Ledger { state.withLock { $0.unassigned } }
}

extension Ledger {
    /// Counts dropped frames that never became packets.
    mutating func lose(_ count: Int64, _ cause: DropCause) {
        captured += count
        self[dropped: cause] += count
    }
}

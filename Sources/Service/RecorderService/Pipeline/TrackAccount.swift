import MediaTypes
import RealTime

/// The ledger of one track of one recording, from the packet on. Every frame is counted once, in one of the recording's
/// files; a drop that no file can count is counted in none of them.
///
/// Before the packet, a frame is in the ledger of its encoder. The recording owns the account, and reads it for the
/// status. The dispatcher passes each file its part, and the router decides which file counts a drop.
///
/// Any thread may call. The lock is taken when a file begins or is settled, for each drop, and for reading, but not for
/// a packet. It comes after the dispatcher's, and before those of the parts.
final class TrackAccount: Sendable {
    private struct State {
        /// The drops that no file has counted.
        var unassigned = Ledger()
        /// The parts of the files that are not settled, by the file's number.
        var files: [Int: File] = [:]
        /// The sum of the settled files' parts. A recording of a year has too many files to keep each part.
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

    /// Counts the drops in a file that no file has counted before.
    func assignLosses(to number: Int) {
        state.withLock { state in
            guard let file = state.files[number] else { return }
            file.add(state.unassigned)
            state.unassigned = Ledger()
        }
    }

    /// Keeps only the sum of a file that is finalized or lost, and counts nothing more. Has no effect if that was done
    /// before.
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

    /// The drops that no file has counted, so far or at all.
    var unassigned: Ledger { state.withLock { $0.unassigned } }
}

extension Ledger {
    /// Counts dropped frames that no packet contains.
    mutating func lose(_ count: Int64, _ cause: DropCause) {
        captured += count
        self[dropped: cause] += count
    }
}

/// Decides when each file is tried. A pure value. Times are in nanoseconds of a monotonic clock.
///
/// If the remote fails, all files wait, longer each time, up to ten minutes. If a single file fails, only that file
/// waits, up to an hour. If the remote seems to fail for one file only, the failure is attributed to the file.
struct CopySchedule {
    private struct Trouble {
        var tries = 0
        var due: Int64 = 0
        /// True if the file's last failure seemed to be caused by the remote.
        var wasRemote = false
        /// True if another file was copied after this file's failure. Later failures are then attributed to this file.
        var isAlone = false
    }

    private static let second: Int64 = 1_000_000_000
    private static let longestPause = 600 * second
    private static let longestWait = 3600 * second
    /// The number of consecutive failures of single files after which all files wait.
    private static let mostInARow = 3
    /// Maximum number of files whose failures are remembered. Other files are tried without a delay.
    private static let most = 10_000

    /// The time until which no file is tried; 0 if files may be tried.
    private(set) var pausedUntil: Int64 = 0
    private var pauses = 0
    private var failedInARow = 0
    private var troubles: [Int64: Trouble] = [:]

    /// Returns true if a file may be tried now.
    ///
    /// - Parameter number: The number of the file's entry in the catalogue.
    func isDue(_ number: Int64, at now: Int64) -> Bool { (troubles[number]?.due ?? 0) <= now }

    func wasTried(_ number: Int64) -> Bool { tries(number) > 0 }

    /// Returns the number of failed attempts.
    func tries(_ number: Int64) -> Int { troubles[number]?.tries ?? 0 }

    /// True if a file whose copying failed still has no copy.
    var isTroubled: Bool { !troubles.isEmpty }

    /// The time at which the first waiting file may be tried again; nil if no file waits.
    var nextDue: Int64? { troubles.values.lazy.map(\.due).min() }

    mutating func succeeded(_ number: Int64) {
        troubles[number] = nil
        (pausedUntil, pauses, failedInARow) = (0, 0, 0)
        for (number, trouble) in troubles where trouble.wasRemote && !trouble.isAlone {
            troubles[number] = Trouble(tries: 0, due: 0, wasRemote: true, isAlone: true)
        }
    }

    /// Forgets the failures of a file that needs no copy any more.
    mutating func forget(_ number: Int64) { troubles[number] = nil }

    /// Forgets the failures of all files except these, which are not copied yet.
    mutating func forgetAll(except numbers: Set<Int64>) { troubles = troubles.filter { numbers.contains($0.key) } }

    mutating func failed(_ number: Int64, _ scope: CopyFailure.Scope, at now: Int64) {
        var trouble = troubles[number] ?? Trouble()
        trouble.tries += 1
        switch scope {
        case .changed: trouble.due = now + Self.growing(1, trouble.tries, atMost: 60 * Self.second)
        case .away: trouble.due = now + 60 * Self.second
        case .remote where !trouble.isAlone:
            trouble.wasRemote = true
            pause(at: now)
            // Another file is tried first, because it may succeed.
            trouble.due = pausedUntil + Self.second
        case .file, .remote:
            trouble.due = now + Self.growing(5, trouble.tries, atMost: Self.longestWait)
            failedInARow += 1
            if failedInARow >= Self.mostInARow { pause(at: now) }
        case .gone, .stopped: return
        }
        guard troubles.count < Self.most || troubles[number] != nil else { return }
        troubles[number] = trouble
    }

    private mutating func pause(at now: Int64) {
        pauses += 1
        pausedUntil = now + Self.growing(2, pauses, atMost: Self.longestPause)
    }

    /// Returns the wait after a number of failures. It doubles with each failure, for example 2 s, 4 s, 8 s …
    private static func growing(_ first: Int64, _ count: Int, atMost most: Int64) -> Int64 {
        min(most, first * second << Int64(min(count - 1, 20)))
    }
}

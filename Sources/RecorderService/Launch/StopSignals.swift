import Glibc

/// What a capture process does about signals that ask it to end: a pure value.
///
/// INT, TERM and HUP finish the file. A second INT within five seconds is somebody who will not wait: the process ends at
/// once, and leaves a file that can be repaired.
struct StopSignals {
    enum Action: Equatable {
        case finish
        case quit
        case nothing
    }

    static let all = [SIGINT, SIGTERM, SIGHUP]

    private var isFinishing = false
    private var lastInterrupt: Int64?
    private let impatience: Int64 = 5_000_000_000

    mutating func receive(_ signal: Int32, at nanoseconds: Int64) -> Action {
        if signal == SIGINT {
            if let lastInterrupt, nanoseconds - lastInterrupt <= impatience { return .quit }
            lastInterrupt = nanoseconds
        }
        guard !isFinishing else { return .nothing }
        isFinishing = true
        return .finish
    }
}

import Glibc

/// Decides how a capture process reacts to signals that ask it to end. A pure value.
///
/// INT, TERM and HUP finalize the file. In a service, HUP means to read the configuration again. A second INT within
/// five seconds means that the user will not wait: the process ends at once and leaves a file that can be repaired.
package struct StopSignals {
    package enum Action: Equatable {
        case finish
        case reload
        case quit
        case nothing
    }

    package static let all = [SIGINT, SIGTERM, SIGHUP]

    private let reloadsOnHangup: Bool
    private var isFinishing = false
    private var lastInterrupt: Int64?
    private let impatience: Int64 = 5_000_000_000

    /// - Parameter reloadsOnHangup: true if HUP reloads the configuration; false if it ends the recording.
    package init(reloadsOnHangup: Bool = false) { self.reloadsOnHangup = reloadsOnHangup }

    package mutating func receive(_ signal: Int32, at nanoseconds: Int64) -> Action {
        if signal == SIGINT {
            if let lastInterrupt, nanoseconds - lastInterrupt <= impatience { return .quit }
            lastInterrupt = nanoseconds
        }
        if signal == SIGHUP, reloadsOnHangup { return isFinishing ? .nothing : .reload }
        guard !isFinishing else { return .nothing }
        isFinishing = true
        return .finish
    }
}

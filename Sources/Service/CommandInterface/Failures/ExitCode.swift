import MediaTypes

/// The command's exit status, for scripts. The values follow sysexits(3).
package enum ExitCode: Int32, Sendable, Hashable, Codable, CaseIterable {
    case done = 0
    case failed = 1
    case usage = 64
    case badData = 65
    case noInput = 66
    case unavailable = 69
    case cannotCreate = 73
    case ioError = 74
    case busy = 75
    case notPermitted = 77
    case configuration = 78

    /// Creates the exit code for a failure. This is the only place that maps failures to exit codes.
    package init(for failure: RecordingFailure) {
        // Every error in the configuration has one code, because a retry never helps.
        guard failure.stage != .configuration else {
            self = .configuration
            return
        }
        // If creating or writing a file fails with a system error, report a disk error, even if the errno has another
        // meaning elsewhere.
        if case .errno = failure.error.underlying, [.busy, .unsupported].contains(failure.error.code) {
            if failure.stage == .recording {
                self = .ioError
                return
            }
            if failure.stage == .output {
                self = .cannotCreate
                return
            }
        }
        switch failure.error.code {
        case .notFound:
            switch failure.stage {
            case .devices, .control: self = .unavailable
            case .output: self = .cannotCreate
            case .input: self = .noInput
            case .usage, .configuration: self = .usage
            case .recording: self = .ioError
            }
        case .invalidSettings: self = .usage
        case .invalidSample, .corruptData: self = failure.stage == .input ? .badData : .failed
        case .deviceUnsuitable: self = .unavailable
        case .unsupported:
            switch failure.stage {
            case .input: self = .badData
            // Two options contradict each other: the container does not support the codec. The stage at which this is
            // detected does not matter.
            case .output, .usage, .configuration, .recording: self = .usage
            case .control, .devices: self = .unavailable
            }
        case .deviceLost: self = failure.stage == .devices ? .unavailable : .failed
        case .outputExists, .cannotCreate: self = .cannotCreate
        case .diskFull, .ioFailure: self = failure.stage == .devices ? .unavailable : .ioError
        case .busy: self = .busy
        // A disk that turns read-only during a recording has failed.
        case .notPermitted: self = failure.stage == .recording ? .ioError : .notPermitted
        case .invalidState, .codecFailure, .cancelled: self = .failed
        }
    }
}

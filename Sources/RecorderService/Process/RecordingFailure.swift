public import MediaTypes

/// Why a recording did not begin, or ended before its time.
public struct RecordingFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// Where it happened: the same code means different things there.
    public enum Stage: String, Sendable, Hashable, Codable {
        /// Reading what the person asked for.
        case usage
        /// Reading the configuration file and the environment.
        case configuration
        /// Another process of that name, the socket, the runtime directory.
        case control
        /// Opening and starting camera and microphone.
        case devices
        /// Creating the file.
        case output
        /// While recording or finishing.
        case recording
        /// Reading a file that is there already.
        case input
    }

    public let stage: Stage
    public let error: MediaError

    public init(_ stage: Stage, _ error: MediaError) {
        self.stage = stage
        self.error = error
    }

    public var description: String { error.description }
}

public import MediaTypes

/// Commands of the owner that run when something happens.
public struct HookCommands: Sendable, Hashable {
    public enum Event: String, Sendable, Hashable, CaseIterable, Codable {
        /// The first sample is in the file.
        case start
        /// A file has its final name.
        case segment
        /// The recording has ended, its last file is whole.
        case stop
        case deviceLost = "device-lost"
        case deviceFound = "device-found"
        /// Twice the reserve, or less, is left.
        case diskLow = "disk-low"
        /// A file was deleted or moved while it was recorded, or could not be finished.
        case fileLost = "file-lost"
    }

    /// For `/bin/sh -c`.
    public var commands: [Event: String] = [:]
    /// After that a command is ended.
    public var timeLimit = MediaTime(value: 30, timescale: 1)

    public init(commands: [Event: String] = [:]) { self.commands = commands }
}

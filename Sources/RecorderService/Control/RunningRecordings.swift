public import MediaTypes
import RealTime

/// Finds the recording that somebody means.
public struct RunningRecordings: Sendable {
    public let directory: RuntimeDirectory

    public init(in directory: RuntimeDirectory = RuntimeDirectory()) { self.directory = directory }

    public var names: [RecordingName] { directory.running() }

    /// The one of that name; without a name the only one there is.
    ///
    /// - Throws: what to tell the person: nothing is recording, not that one, or several are.
    public func choose(_ name: RecordingName?) throws(OptionError) -> RecordingName {
        let names = names
        if let name {
            guard names.contains(name) else { throw OptionError("\(name) is not recording") }
            return name
        }
        guard let first = names.first else { throw OptionError("nothing is recording") }
        guard names.count == 1 else {
            throw OptionError(
                "several are recording, say which: " + names.map(\.description).joined(separator: ", "))
        }
        return first
    }

    public func client(_ name: RecordingName) -> ControlClient { ControlClient(name, in: directory) }

    /// Ends a recording, and returns when its file is whole; when the process ends too, once its name is free again.
    ///
    /// - Parameter disarms: a process that is armed, and would wait for the next recording, ends as well.
    public func stop(_ name: RecordingName, disarms: Bool = false) async throws(MediaError) -> RecordingStatus {
        let status = try await client(name).stop(disarms: disarms)
        guard status.state != .armed else { return status }
        let directory = directory
        await blockingCall("await-end") {
            let clock = MonotonicClock()
            let deadline = clock.nanoseconds + 3_000_000_000
            // flock(2) has no deadline of its own, and the process has only its connections left to close.
            while directory.isRunning(name), clock.nanoseconds < deadline {
                clock.sleep(until: clock.nanoseconds + 2_000_000)
            }
        }
        return status
    }
}

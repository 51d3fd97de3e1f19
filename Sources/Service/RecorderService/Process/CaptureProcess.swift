import CommandInterface
import FileSystem
import Foundation
import Logging
package import MediaTypes
import RealTime
package import RecorderStorage

/// A capture process. It runs a `CaptureSession`, which records, and handles the requests of users.
///
/// `run` is called once; everything else is thread-safe.
package final class CaptureProcess: Sendable {
    package let configuration: RecordingConfiguration
    let session: CaptureSession
    let log: Logger
    let hooks: HookRunner?
    let reloader: (@Sendable () throws(RecordingFailure) -> RecordingConfiguration)?
    private let outcome = Once<SessionOutcome>()

    /// Creates a process; `run` opens its devices.
    ///
    /// - Parameters:
    ///   - retention: The retention, which catalogues finished files and deletes the oldest.
    ///   - copies: The watch that knows which files have been copied.
    ///   - reloader: Reads the configuration again; nil if that is not possible.
    init(
        configuration: RecordingConfiguration, opener: any DeviceFactory, log: Logger,
        unfinished: UnfinishedRecordings? = nil, mirrored: MirroredRecordings? = nil, hooks: HookRunner? = nil,
        retention: Retention? = nil, mirrorRetention: Retention? = nil, copies: CopyWatch? = nil,
        reloader: (@Sendable () throws(RecordingFailure) -> RecordingConfiguration)? = nil,
        foundations: SessionFoundations = SessionFoundations()
    ) {
        self.configuration = configuration
        self.log = log
        self.hooks = hooks
        self.reloader = reloader
        session = CaptureSession(
            configuration, opener: opener, log: log, unfinished: unfinished, mirrored: mirrored, hooks: hooks,
            retention: retention, mirrorRetention: mirrorRetention, copies: copies, foundations: foundations)
    }

    /// Records, or waits armed for recordings, until a request, the duration or an error ends the process.
    ///
    /// - Parameter whenStarted: Called once, with the file's path, when the first sample is in the file. An armed
    ///   process calls it with nil when its devices deliver samples. Not called if no sample ever arrives.
    package func run(whenStarted: @escaping @Sendable (String?) async -> Void) async -> SessionOutcome {
        let result = await session.run(whenStarted: whenStarted)
        session.feed.end()
        session.snapshot.pipeline?.subStream?.finish()
        outcome.set(result)
        return result
    }

    /// Waits until the process has ended, and its files are finalized or have failed.
    package func finished() async -> SessionOutcome { await outcome.value() }

    /// Requests that the recording ends now, and then the process. Returns at once. Repeated calls change nothing.
    package func requestStop() { session.end(quits: true) }

    /// The current settings, some of which can change while the process runs.
    var settings: RecordingConfiguration { session.settings }
}

/// The restrictions that apply to members of the control group, but not to the owner.
extension CaptureProcess {
    package func memberPath(_ path: String) throws(MediaError) -> String {
        let (directory, name) = (path.parentDirectory, path.lastComponent)
        let root = try recordingsDirectory()
        guard let real = Self.real(directory), let home = Self.real(root), !["", ".", "..", "/"].contains(name),
            (real + "/").hasPrefix(home == "/" ? "/" : home + "/")
        else {
            throw MediaError(
                .notPermitted, "cannot save to \(path)", reason: "only the owner may write outside \(root)",
                wayOut: "choose a file in \(root), or omit the name")
        }
        return real.appendingComponent(name)
    }

    /// Returns the directory that contains all recordings of this process, which is the part of the pattern before its
    /// first field.
    private func recordingsDirectory() throws(MediaError) -> String {
        let (path, root) = try OutputLocation.expand(settings, now: session.foundations.wallClock())
        return root ?? path.parentDirectory
    }

    /// Returns the path without links; nil if it does not exist.
    private static func real(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return PathText.text(real)
    }
}

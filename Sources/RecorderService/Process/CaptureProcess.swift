import CommandInterface
import FileSystem
import Foundation
import Logging
package import MediaTypes
import RealTime

/// A capture process: its life, and what its owner asks of it. `CaptureSession` records.
///
/// `run` is called once; everything else from any thread, at any time.
package final class CaptureProcess: Sendable {
    package let configuration: RecordingConfiguration
    let session: CaptureSession
    let log: Logger
    let hooks: HookRunner?
    let reloader: (@Sendable () throws(RecordingFailure) -> RecordingConfiguration)?
    private let outcome = Once<SessionOutcome>()

    /// - Parameters:
    ///   - retention: learns of finished files, and removes the oldest.
    ///   - copies: knows how far they are copied.
    ///   - reloader: reads the configuration again.
    init(
        configuration: RecordingConfiguration, opener: any KeeperOpener, log: Logger,
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

    /// Records, or waits armed, until its owner, its duration or a fault ends it.
    ///
    /// - Parameter whenStarted: called once: with the path, when the first sample is in the file; an armed process calls it
    ///   with nil, when its devices deliver. Not called when nothing ever comes.
    package func run(whenStarted: @escaping @Sendable (String?) async -> Void) async -> SessionOutcome {
        let result = await session.run(whenStarted: whenStarted)
        session.feed.end()
        outcome.set(result)
        return result
    }

    /// Waits until the process is over and its files are whole, or it is certain that they never will be.
    package func finished() async -> SessionOutcome { await outcome.value() }

    /// Asks for the end of the process, and of the recording as of this moment. Returns at once; repeating it changes
    /// nothing.
    package func requestStop() { session.end(quits: true) }

    /// The settings that may have changed since the process began.
    var settings: RecordingConfiguration { session.settings }
}

/// What a member of the control group may not do, though the owner may.
extension CaptureProcess {
    package func memberPath(_ path: String) throws(MediaError) -> String {
        let (directory, name) = ((path as NSString).deletingLastPathComponent, (path as NSString).lastPathComponent)
        let root = try recordingsDirectory()
        guard let real = Self.real(directory), let home = Self.real(root), !["", ".", "..", "/"].contains(name),
            (real + "/").hasPrefix(home == "/" ? "/" : home + "/")
        else {
            throw MediaError(
                .notPermitted, "cannot save to \(path)", reason: "only the owner may write outside \(root)",
                wayOut: "name a file in \(root), or none")
        }
        return (real as NSString).appendingPathComponent(name)
    }

    /// The directory that all recordings of this process are in or below.
    private func recordingsDirectory() throws(MediaError) -> String {
        let (path, root) = try OutputLocation.expand(settings, now: session.foundations.wallClock())
        return root ?? (path as NSString).deletingLastPathComponent
    }

    /// Without links; nil for what is not there.
    private static func real(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return PathText.text(real)
    }
}

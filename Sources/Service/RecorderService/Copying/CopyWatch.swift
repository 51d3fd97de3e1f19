import CommandInterface
import Foundation
import MediaTypes
import RealTime
package import RecorderControl
package import RecorderStorage

/// The progress of copying, for the status of a recorder. The backlog is read from the catalogue. Everything else is
/// read from the copier's state file.
///
/// Thread-safe, but not for capture threads. Accesses the disk at most twice a second. If the database is in use, waits
/// for up to a quarter of a second.
package final class CopyWatch: Sendable {
    private let name: RecordingName
    private let catalogue: RecordingCatalogue
    private let runtime: RuntimeDirectory
    /// The path of the copier's lock in the state directory.
    private let lock: String
    private let clock: any HostClock
    private let last = Locked<(account: CopyAccount, at: Int64)?>(nil)

    private static let freshness: Int64 = 500_000_000

    package convenience init(_ name: RecordingName, in state: StateDirectory, runtime: RuntimeDirectory) {
        self.init(name, in: state, runtime: runtime, clock: MonotonicClock())
    }

    init(_ name: RecordingName, in state: StateDirectory, runtime: RuntimeDirectory, clock: any HostClock) {
        self.name = name
        self.runtime = runtime
        lock = state.copier(name)
        self.clock = clock
        catalogue = RecordingCatalogue(name, in: state, patience: 250)
    }

    /// Returns nil without a remote.
    package func account(_ settings: CopySettings) -> CopyAccount? {
        guard let remote = settings.remote?.text else { return nil }
        let now = clock.nanoseconds
        let known = last.withLock { $0 }
        if let known, known.account.remote == remote, now - known.at < Self.freshness { return known.account }
        var account = CopyAccount(remote: remote, state: .notRunning)
        let (isRunning, directory) = copier
        if let state = CopierState(at: directory.copierState(name)) {
            account.lastCopied = state.lastCopied
            account.error = state.error
            if isRunning {
                (account.state, account.sending, account.nextTry) = (state.state, state.sending, state.nextTry)
            }
        } else if isRunning {
            account.state = .idle
        }
        do throws(MediaError) {
            let backlog = try catalogue.backlog(of: remote)
            account.oldestFinished = backlog.oldest
            account.backlog = .init(
                files: backlog.files, bytes: backlog.bytes,
                oldest: backlog.oldest.map { TimestampText.text(Date(timeIntervalSince1970: $0)) })
        } catch {
            // The database could not be read, for example because it is in use. Therefore the last known backlog is
            // returned.
            account.backlog = known?.account.backlog
            if error.code != .busy { account.error = account.error ?? error.description }
        }
        last.withLock { $0 = (account, now) }
        return account
    }

    /// Returns true if a copier runs, and the runtime directory with its state. The copier may have another runtime
    /// directory than the recorder.
    private var copier: (isRunning: Bool, directory: RuntimeDirectory) {
        if InstanceLock.isHeld(at: runtime.copierLock(name)) == true { return (true, runtime) }
        guard InstanceLock.isHeld(at: lock) == true else { return (false, runtime) }
        return (true, InstanceLock.holder(lock)?.runtime.map(RuntimeDirectory.init(path:)) ?? runtime)
    }
}

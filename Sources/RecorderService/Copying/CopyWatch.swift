import CommandInterface
import Foundation
import MediaTypes
import RealTime

/// What a recorder tells of its copies: the backlog from the catalogue, the rest from the copier, if one is there.
///
/// Any thread but a capture thread; the disk is asked twice a second at most, and a database that is in use is waited for a
/// quarter of a second.
package final class CopyWatch: Sendable {
    private let name: RecordingName
    private let catalogue: RecordingCatalogue
    private let runtime: RuntimeDirectory
    private let clock: any HostClock
    private let last = Locked<(account: CopyAccount, at: Int64)?>(nil)

    private static let freshness: Int64 = 500_000_000

    package convenience init(_ name: RecordingName, in state: StateDirectory, runtime: RuntimeDirectory) {
        self.init(name, in: state, runtime: runtime, clock: MonotonicClock())
    }

    init(_ name: RecordingName, in state: StateDirectory, runtime: RuntimeDirectory, clock: any HostClock) {
        self.name = name
        self.runtime = runtime
        self.clock = clock
        catalogue = RecordingCatalogue(name, in: state, patience: 250)
    }

    /// nil without a remote.
    package func account(_ settings: CopySettings) -> CopyAccount? {
        guard let remote = settings.remote?.text else { return nil }
        let now = clock.nanoseconds
        let known = last.withLock { $0 }
        if let known, known.account.remote == remote, now - known.at < Self.freshness { return known.account }
        var account = CopyAccount(remote: remote, state: .notRunning)
        let isRunning = InstanceLock.isHeld(at: runtime.copierLock(name)) ?? false
        if let state = CopierState(at: runtime.copierState(name)) {
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
            // In use at this moment: as it was a while ago.
            account.backlog = known?.account.backlog
            if error.code != .busy { account.error = account.error ?? error.description }
        }
        last.withLock { $0 = (account, now) }
        return account
    }
}

package import CommandInterface
import Foundation
package import Logging
import MediaTypes
import RealTime
package import RecorderControl
package import RecorderStorage

/// A process that copies one recorder's finished recordings. There is one per recorder, and it runs until it is
/// stopped.
package struct CopyService: Sendable {
    private let name: RecordingName
    private let reader: ConfigurationReader
    private let runtime: RuntimeDirectory
    private let state: StateDirectory
    private let log: Logger

    package init(
        _ name: RecordingName, source: ConfigurationSource, runtime: RuntimeDirectory = RuntimeDirectory(),
        state: StateDirectory = StateDirectory(), log: Logger
    ) {
        self.name = name
        reader = ConfigurationReader(source)
        self.runtime = runtime
        self.state = state
        self.log = log
    }

    /// Copies until INT or TERM; HUP reads the configuration again. The caller must have called
    /// `SignalWatcher.prepare()`.
    ///
    /// - Parameter once: True to end when nothing is left to copy.
    package func run(once: Bool) async throws(RecordingFailure) {
        let configuration = try reader.load()
        guard let remote = configuration.copies.remote else {
            throw RecordingFailure(
                .configuration,
                MediaError(
                    .invalidSettings, "cannot copy the recordings of \(name)", reason: "no remote is configured",
                    wayOut: "add `copy-to: nas:recordings/\(name)` to \(name).yaml, or use --copy-to"))
        }
        // A recorder that is still unknown may make its first recording later, so the copier waits for that unless
        // `once` is set.
        let unknown = unknownName
        if once, let unknown {
            throw RecordingFailure(
                .control, MediaError(.invalidState, "cannot copy the recordings of \(name)", reason: unknown))
        }
        if let unknown { log.warning("\(unknown); waiting for its first recording") }
        let stop = CopyStop()
        let settings = Locked(configuration.copies)
        let hooks = HookRunner(configuration.hooks, name: name, log: log)
        let locks: (InstanceLock, InstanceLock?)
        do throws(MediaError) {
            locks = try lock()
            try watchSignals(stop, settings, hooks)
        } catch { throw RecordingFailure(.control, error) }
        let copier = Copier(
            RecordingCatalogue(name, in: state), statePath: runtime.copierState(name),
            names: CopyNames(path: runtime.copyNames), settings: { settings.withLock { $0 } }, hooks: hooks, log: log,
            stop: stop)
        log.info("copying the recordings of \(name) to \(remote.text)")
        let notifier = ServiceNotifier()
        notifier?.send([.ready, .status("copying to \(remote.text)")])
        // rclone is killed when the thread that started it ends, so one thread does all the work.
        let unfinished = await blockingCall("copier") { copier.run(once: once) }
        notifier?.send([.stopping])
        await hooks.finish()
        withExtendedLifetime(locks) {}
        if let unfinished { throw RecordingFailure(unfinished.code == .notFound ? .control : .recording, unfinished) }
    }

    /// Takes the locks in the runtime directory and in the state directory. A state directory in which nothing can be
    /// written has no second lock.
    private func lock() throws(MediaError) -> (InstanceLock, InstanceLock?) {
        let name = name
        func busy(_ owner: Int32?) -> MediaError {
            MediaError(
                .busy, "cannot copy the recordings of \(name)",
                reason: "another process already copies them" + (owner.map { " (pid \($0))" } ?? ""))
        }
        try runtime.prepare()
        let lock = try InstanceLock(runtime.copierLock(name), busy: busy)
        do throws(MediaError) {
            try state.create()
            return (lock, try InstanceLock(state.copier(name), runtime: runtime, busy: busy))
        } catch {
            guard error.code != .busy else { throw error }
            return (lock, nil)
        }
    }

    /// The error for a recorder that has neither recordings nor a configuration, or whose recordings are listed in
    /// another state directory; nil if the user named a configuration file.
    private var unknownName: String? {
        do throws(OptionError) {
            try KnownRecorders(in: state, runtime).checkLists(of: name)
            return nil
        } catch { return reader.source.isNamed ? nil : error.description }
    }

    private func watchSignals(
        _ stop: CopyStop, _ settings: Locked<CopySettings>, _ hooks: HookRunner
    ) throws(MediaError) {
        do {
            try SignalWatcher.start {
                reload(settings, hooks)
            } finish: {
                stop.wish()
            } quit: {
                log.error("interrupted twice: the current file is sent again at the next start")
            }
        } catch { throw MediaError(errno: error.errno, "cannot watch for signals") }
    }

    /// Reads the configuration again. The current transfer continues with the old settings.
    private func reload(_ settings: Locked<CopySettings>, _ hooks: HookRunner) {
        do throws(RecordingFailure) {
            let new = try reader.load()
            guard new.copies.remote != nil else {
                return log.error(
                    "the reloaded configuration has no copy-to; the previous settings stay in effect")
            }
            settings.withLock { $0 = new.copies }
            hooks.update(new.hooks)
            log.notice("reloaded the configuration")
        } catch { log.error("cannot reload the configuration, so the previous settings stay in effect: \(error)") }
    }
}

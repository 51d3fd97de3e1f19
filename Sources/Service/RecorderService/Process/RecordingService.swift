import AssetIO
import CommandInterface
import Foundation
package import Logging
import MediaTypes
import RealTime
package import RecorderControl
package import RecorderStorage

/// Runs a capture process from start to end: locks its name, opens the control socket, handles signals, and records.
package struct RecordingService: Sendable {
    private let configuration: RecordingConfiguration
    private let runtime: RuntimeDirectory
    private let state: StateDirectory
    private let opener: any DeviceFactory
    private let unfinished: UnfinishedRecordings
    private let retention: Retention
    private let mirrored: MirroredRecordings
    private let mirrorRetention: Retention?
    private let copies: CopyWatch
    private let ends: RecorderEnds
    private let reader: ConfigurationReader?
    private let reloadsOnHangup: Bool
    private let log: Logger
    /// The recordings that this process has repaired.
    private let repaired = Locked<[RepairedRecording]>([])

    package init(
        _ configuration: RecordingConfiguration, reader: ConfigurationReader? = nil, reloadsOnHangup: Bool = true,
        opener: any DeviceFactory, runtime: RuntimeDirectory = RuntimeDirectory(),
        state: StateDirectory = StateDirectory(), log: Logger
    ) {
        unfinished = UnfinishedRecordings(configuration.name, in: state)
        retention = Retention(configuration, in: state, log: log)
        mirrored = MirroredRecordings(configuration.name, in: state, log: log)
        mirrorRetention = Retention.ofMirror(configuration, in: state, log: log)
        copies = CopyWatch(configuration.name, in: state, runtime: runtime)
        ends = RecorderEnds(in: state, runtime)
        self.reader = reader
        self.reloadsOnHangup = reloadsOnHangup
        self.configuration = configuration
        self.opener = opener
        self.runtime = runtime
        self.state = state
        self.log = log
    }

    /// Records until a request, the duration or an error ends the recording. The caller must have called
    /// `SignalWatcher.prepare()`.
    ///
    /// - Parameter report: Called exactly once, when the first sample is in the file, when an armed process has
    ///   started, or when the start has failed.
    package func run(report: @escaping @Sendable (StartReport) -> Void) async -> SessionOutcome {
        let hooks = HookRunner(configuration.hooks, name: configuration.name, log: log)
        let reader = reader
        let reload = { @Sendable () throws(RecordingFailure) in try reader?.load() ?? RecordingConfiguration() }
        let process = CaptureProcess(
            configuration: configuration, opener: opener, log: log, unfinished: unfinished, mirrored: mirrored,
            hooks: hooks, retention: retention, mirrorRetention: mirrorRetention, copies: copies,
            reloader: reader == nil ? nil : reload)
        let service = ServiceReporter(process, log: log)
        defer { service?.end() }
        let hasReported = Once<Void>()
        let outcome = await run(process, service, hasReported) { path in
            hasReported.set(())
            service?.becameReady()
            var answer = path.map(StartReport.init(file:)) ?? .armed
            answer.retention = retention.account(process.settings.retention)
            answer.repaired = repaired.withLock { $0 }
            answer.warning = stateProblem
            report(answer)
        }
        guard let failure = outcome.failure else { return outcome }
        let told = naming(repaired.withLock { $0 }, in: failure)
        // After the report of a failed start, the caller may retry at once, because the socket and the name are free by
        // now.
        if hasReported.current == nil {
            var answer = StartReport(told)
            answer.repaired = repaired.withLock { $0 }
            report(answer)
        }
        log.error(
            "\(told)", metadata: LoggedEvent.hook(.stop).fields(file: outcome.status.file, error: told.description))
        return SessionOutcome(status: outcome.status, failure: told)
    }

    /// The consequences of a state directory in which nothing can be written; nil if it can.
    private var stateProblem: String? {
        do throws(MediaError) {
            try state.check()
            return nil
        } catch {
            return "\(error); until that is fixed, retention, the repair after a crash and the log do not work"
        }
    }

    /// Returns the failure. Adds an explanation if the wanted name is taken by a file that was just repaired.
    private func naming(_ repaired: [RepairedRecording], in failure: RecordingFailure) -> RecordingFailure {
        let error = failure.error
        guard error.code == .outputExists, let (path, _) = try? OutputLocation.expand(configuration),
            let recording = repaired.first(where: { $0.file == path })
        else { return failure }
        return RecordingFailure(
            failure.stage,
            MediaError(
                .outputExists, error.action,
                reason: "a repaired recording has this name: \(recording.summary)",
                underlying: error.underlying, wayOut: "choose another name"))
    }

    private func run(
        _ process: CaptureProcess, _ service: ServiceReporter?, _ hasReported: Once<Void>,
        whenStarted: @escaping @Sendable (String?) async -> Void
    ) async -> SessionOutcome {
        let lock: InstanceLock
        var stateLock: InstanceLock?
        let servers: [ControlServer]
        do throws(RecordingFailure) {
            (lock, stateLock, servers) = try await open(process, service)
        } catch {
            return SessionOutcome(status: process.status, failure: error)
        }
        if let before = ends.begin(configuration.name, isLocked: stateLock != nil, log: log) {
            let fields = LoggedEvent.hook(.died).fields(file: before.file, error: before.error)
            log.notice("\(before.text)", metadata: before.state == .died ? fields : nil)
            if before.state == .died { process.hooks?.run(.died, HookInfo(file: before.file, error: before.error)) }
        }
        let interrupted = Set(unfinished.files)
        // If the user allows overwriting a file, an interrupted recording with that name is still kept and repaired.
        await repair(interrupted.intersection(wantedFiles), leavesNameFree: configuration.overwrite)
        async let repaired: Void = repair(interrupted)
        async let completed: Void = completeMirrored()
        // This check runs in parallel. Neither the beginning nor the end of the recording waits for it.
        let (retentions, rules) = ([retention, mirrorRetention].compactMap(\.self), configuration.retention)
        Task { await blockingCall("look-at-all") { for retention in retentions { _ = retention.lookAtAll(rules) } } }
        let outcome = await process.run(whenStarted: whenStarted)
        await repaired
        await completed
        ends.end(configuration.name, outcome.failure, hasReported: hasReported.current != nil, log: log)
        // The hooks are awaited before the sockets close, so that callers that wait for the end also wait for the
        // hooks.
        await process.hooks?.finish()
        for server in servers { await server.close() }
        // The name is released only after the sockets are closed. The lock in the runtime directory is last, because
        // a caller that waits for the end waits for that one.
        stateLock = nil
        withExtendedLifetime(lock) {}
        return outcome
    }

    /// Repairs files of an earlier process. The recording waits only for files whose names it needs. The other files
    /// are repaired while it records.
    private func repair(_ files: Set<String>, leavesNameFree: Bool = false) async {
        guard !files.isEmpty else { return }
        let (unfinished, retention, log, name, repaired) = (unfinished, retention, log, configuration.name, repaired)
        let root = try? OutputLocation.expand(configuration).root
        // The pattern's directory becomes the root only of files below it. Other files were recorded with another
        // pattern.
        let below = root.map { $0.hasSuffix("/") ? $0 : $0 + "/" }
        @Sendable func enter(_ path: String, _ account: FinishedRecording.Account) {
            retention.enter(path, root: below.flatMap { path.hasPrefix($0) ? root : nil }, account) {}
        }
        await blockingCall("repair") {
            unfinished.repair({ files.contains($0) }, leavesNameFree: leavesNameFree, log: log) { report in
                let path = report.file
                if report.outcome == .repaired {
                    repaired.withLock { repaired in
                        repaired.append(
                            RepairedRecording(source: report.source, file: path, summary: report.text))
                    }
                }
                let summary = try? MovieSummary(contentsOf: URL(fileURLWithPath: path))
                let account = summary.flatMap { FinishedRecording.Account($0, ending: .repaired) }
                enter(path, account ?? .init(ending: .repaired))
            } onFinished: { path in
                // The earlier process had renamed the file, but ended before it could enter the file in the catalogue.
                guard let summary = try? MovieSummary(contentsOf: URL(fileURLWithPath: path)),
                    RecordingSearch.isOwn(summary, of: name),
                    let entry = try? retention.catalogue.isEntered(path), !entry
                else { return }
                enter(path, FinishedRecording.Account(summary) ?? .init())
            }
        }
    }

    /// Completes the mirrored files of earlier recordings.
    private func completeMirrored() async {
        let mirrored = mirrored
        let (retentions, roots) = (
            [retention, mirrorRetention], [try? OutputLocation.expand(configuration).root, configuration.mirror]
        )
        let old = Set(mirrored.entries)
        guard !old.isEmpty else { return }
        await blockingCall("complete-mirrored") {
            mirrored.complete(only: old, isLate: true) { path, index in
                retentions[index]?.enterRepaired(path, below: roots[index], like: retentions[1 - index])
            }
        }
    }

    /// The unfinished files whose names would block the new recording, if the output has a fixed name.
    private var wantedFiles: Set<String> {
        guard configuration.output != nil, let (path, _) = try? OutputLocation.expand(configuration) else { return [] }
        return [OutputLocation(path: path).temporaryPath]
    }

    private func open(
        _ process: CaptureProcess, _ service: ServiceReporter?
    ) async throws(RecordingFailure) -> (InstanceLock, InstanceLock?, [ControlServer]) {
        do throws(MediaError) {
            try ResourceLimits.check(.recording)
            let controllers = try configuration.controlGroup.map { name throws(MediaError) in
                try UserGroup(named: name)
            }
            let watchers = try configuration.liveGroup.map { name throws(MediaError) in try UserGroup(named: name) }
            let lock = try InstanceLock(
                configuration.name, in: runtime, group: controllers ?? watchers,
                isPassed: controllers != nil && watchers != nil && controllers != watchers)
            let stateLock = try ends.lock(configuration.name, log: log)
            try watchSignals(process, service)
            let name = configuration.name
            let server = try await ControlServer(process, name, in: runtime, group: controllers, log: log)
            do throws(MediaError) {
                let live = try await ControlServer(
                    process, name, in: runtime, for: .live, group: watchers ?? controllers, limits: .live, log: log)
                return (lock, stateLock, [live, server])
            } catch {
                await server.close()
                throw error
            }
        } catch {
            throw RecordingFailure(.control, error)
        }
    }

    /// Reads the configuration again, and reports the result.
    private func reload(_ process: CaptureProcess, _ service: ServiceReporter?) async {
        guard let service else { return await reload(process) }
        await service.reload { await reload(process) }
    }

    private func reload(_ process: CaptureProcess) async {
        // `process.reload` has already logged the result.
        _ = try? await process.reload()
    }

    private func watchSignals(_ process: CaptureProcess, _ service: ServiceReporter?) throws(MediaError) {
        let log = log
        do {
            // If there is no configuration to read again, HUP has its default effect.
            let reload: @Sendable () -> Void = { Task { await self.reload(process, service) } }
            try SignalWatcher.start(reload: process.reloader == nil || !reloadsOnHangup ? nil : reload) {
                process.requestStop()
            } quit: {
                log.error("interrupted twice: the file stays unfinished; `recorder repair` finalizes it")
            }
        } catch {
            throw MediaError(errno: error.errno, "cannot watch for signals")
        }
    }
}

import Foundation
public import Logging
import MediaTypes

/// The whole life of a capture process: its name, its control socket, its signals, its recording.
public struct RecordingService: Sendable {
    private let configuration: RecordingConfiguration
    private let runtime: RuntimeDirectory
    private let opener: any SourceOpener
    private let unfinished: UnfinishedRecordings
    private let log: Logger

    public init(
        _ configuration: RecordingConfiguration, opener: any SourceOpener,
        runtime: RuntimeDirectory = RuntimeDirectory(), state: StateDirectory = StateDirectory(), log: Logger
    ) {
        unfinished = UnfinishedRecordings(configuration.name, in: state)
        self.configuration = configuration
        self.opener = opener
        self.runtime = runtime
        self.log = log
    }

    /// Records until its owner, its duration or a fault ends it. `SignalWatcher.prepare()` has been called.
    ///
    /// - Parameter report: called exactly once: when the first sample is in the file, or when there will be none.
    public func run(report: @escaping @Sendable (StartReport) -> Void) async -> CaptureProcess.Outcome {
        let process = CaptureProcess(
            configuration: configuration, opener: opener, log: log, unfinished: unfinished)
        let hasReported = Once<Void>()
        let outcome = await run(process) { path in
            hasReported.set(())
            report(StartReport(file: path))
        }
        guard let failure = outcome.failure else { return outcome }
        // Whoever hears of a failed start may try again at once: socket and name are free by now.
        if hasReported.current == nil { report(StartReport(failure)) }
        log.error("\(failure)")
        return outcome
    }

    private func run(
        _ process: CaptureProcess, whenStarted: @escaping @Sendable (String) async -> Void
    ) async -> CaptureProcess.Outcome {
        let lock: InstanceLock
        let server: ControlServer
        do throws(RecordingFailure) {
            (lock, server) = try await open(process)
        } catch {
            return CaptureProcess.Outcome(status: process.status, failure: error)
        }
        let interrupted = Set(unfinished.files)
        // Leave to overwrite a file is not meant for what was interrupted under its name.
        await repair(interrupted.intersection(wantedFiles), leavesNameFree: configuration.overwrite)
        async let repaired: Void = repair(interrupted)
        let outcome = await process.run(whenStarted: whenStarted)
        await repaired
        await server.close()
        // The name is free again when the socket is gone.
        withExtendedLifetime(lock) {}
        return outcome
    }

    /// What an earlier process left unfinished becomes whole beside the new recording, which does not wait for it.
    private func repair(_ files: Set<String>, leavesNameFree: Bool = false) async {
        guard !files.isEmpty else { return }
        let (unfinished, log) = (unfinished, log)
        await blockingCall("repair") {
            unfinished.repair({ files.contains($0) }, leavesNameFree: leavesNameFree, log: log)
        }
    }

    /// What would stand in the way of the new recording, where the output's name is always the same.
    private var wantedFiles: Set<String> {
        guard configuration.output != nil, let path = try? OutputLocation.expand(configuration) else { return [] }
        return [OutputLocation(path: path).temporaryPath]
    }

    private func open(_ process: CaptureProcess) async throws(RecordingFailure) -> (InstanceLock, ControlServer) {
        do throws(MediaError) {
            let lock = try InstanceLock(configuration.name, in: runtime)
            try watchSignals(process)
            return (lock, try await ControlServer(process: process, path: runtime.socket(configuration.name), log: log))
        } catch {
            throw RecordingFailure(.control, error)
        }
    }

    private func watchSignals(_ process: CaptureProcess) throws(MediaError) {
        let log = log
        do {
            try SignalWatcher.start {
                process.requestStop()
            } quit: {
                log.error("interrupted twice: the file is left as it is, and can be repaired")
            }
        } catch {
            throw MediaError(errno: error.errno, "cannot watch for signals")
        }
    }
}

import Foundation
public import Logging
import MediaTypes

/// The whole life of a capture process: its name, its control socket, its signals, its recording.
public struct RecordingService: Sendable {
    private let configuration: RecordingConfiguration
    private let runtime: RuntimeDirectory
    private let opener: any SourceOpener
    private let log: Logger

    public init(
        _ configuration: RecordingConfiguration, opener: any SourceOpener,
        runtime: RuntimeDirectory = RuntimeDirectory(),
        log: Logger
    ) {
        self.configuration = configuration
        self.opener = opener
        self.runtime = runtime
        self.log = log
    }

    /// Records until its owner, its duration or a fault ends it. `SignalWatcher.prepare()` has been called.
    ///
    /// - Parameter report: called exactly once: when the first sample is in the file, or when there will be none.
    public func run(report: @escaping @Sendable (StartReport) -> Void) async -> CaptureProcess.Outcome {
        let process = CaptureProcess(configuration: configuration, opener: opener, log: log)
        let outcome = await run(process, report: report)
        if let failure = outcome.failure { log.error("\(failure)") }
        return outcome
    }

    private func run(
        _ process: CaptureProcess, report: @escaping @Sendable (StartReport) -> Void
    ) async -> CaptureProcess.Outcome {
        let lock: InstanceLock
        let server: ControlServer
        do throws(RecordingFailure) {
            (lock, server) = try await open(process)
        } catch {
            report(StartReport(error))
            return CaptureProcess.Outcome(status: process.status, failure: error)
        }
        let hasReported = Once<Void>()
        let outcome = await process.run { path in
            hasReported.set(())
            report(StartReport(file: path))
        }
        if hasReported.current == nil, let failure = outcome.failure { report(StartReport(failure)) }
        await server.close()
        // The name is free again when the socket is gone.
        withExtendedLifetime(lock) {}
        return outcome
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

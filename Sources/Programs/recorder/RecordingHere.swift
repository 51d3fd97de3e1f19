import CommandInterface
import RecorderControl
import RecorderService
import RecorderStorage

/// A recording in this process.
struct RecordingHere {
    let configuration: RecordingConfiguration
    let reader: ConfigurationReader
    let reloadsOnHangup: Bool
    let hasTimes: Bool

    /// Creates a recording.
    ///
    /// - Parameters:
    ///   - reader: Reads the configuration again, for `recorder reload`.
    ///   - reloadsOnHangup: True if HUP reads it again, too; false if HUP ends the recording.
    ///   - hasTimes: True if log lines begin with the time.
    init(
        _ configuration: RecordingConfiguration, reader: ConfigurationReader, reloadsOnHangup: Bool, hasTimes: Bool
    ) {
        self.configuration = configuration
        self.reader = reader
        self.reloadsOnHangup = reloadsOnHangup
        self.hasTimes = hasTimes
    }

    /// Records, and returns when the file is finalized.
    ///
    /// - Throws: The exit code for an early end; the log contains the reason.
    func run(report: @escaping @Sendable (StartReport) -> Void) async throws {
        Heap.mapLargePieces()
        let log = JournalLog.logger(configuration.name) ?? LineLog.logger(hasTimes: hasTimes)
        for variable in reader.source.ignoredVariables { log.warning("\(variable)") }
        // Another task writes the log, because a camera's thread must not wait for it.
        let opener = DeviceOpener { text in Task { log.notice("\(text)") } }
        let service = RecordingService(
            configuration, reader: reader, reloadsOnHangup: reloadsOnHangup, opener: opener, log: log)
        let outcome = await service.run(report: report)
        if let failure = outcome.failure { throw CommandFailure(failure).told }
    }
}

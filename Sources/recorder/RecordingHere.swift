import CommandInterface
import RecorderService

/// A recording in this very process.
struct RecordingHere {
    let configuration: RecordingConfiguration
    let source: ConfigurationSource?
    let hasTimes: Bool

    /// - Parameters:
    ///   - source: what HUP reads again; nil: HUP ends the recording.
    ///   - hasTimes: the log's lines begin with the time.
    init(_ configuration: RecordingConfiguration, source: ConfigurationSource?, hasTimes: Bool) {
        self.configuration = configuration
        self.source = source
        self.hasTimes = hasTimes
    }

    /// Returns when the file is whole.
    ///
    /// - Throws: the exit code of what ended it early; the log has said why.
    func run(report: @escaping @Sendable (StartReport) -> Void) async throws {
        Heap.mapLargePieces()
        let log = JournalLog.logger(configuration.name) ?? LineLog.logger(hasTimes: hasTimes)
        for variable in source?.ignoredVariables ?? [] { log.warning("\(variable)") }
        let service = RecordingService(configuration, source: source, opener: DeviceOpener(), log: log)
        let outcome = await service.run(report: report)
        if outcome.status.file != nil { log.info("\(outcome.status.account)") }
        if let failure = outcome.failure { throw CommandFailure(failure).told }
    }
}

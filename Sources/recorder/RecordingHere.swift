import RecorderService

/// A recording in this very process.
struct RecordingHere {
    let configuration: RecordingConfiguration
    let hasTimes: Bool

    /// - Parameter hasTimes: the log's lines begin with the time.
    init(_ configuration: RecordingConfiguration, hasTimes: Bool) {
        self.configuration = configuration
        self.hasTimes = hasTimes
    }

    /// Returns when the file is whole.
    ///
    /// - Throws: the exit code of what ended it early; the log has said why.
    func run(report: @escaping @Sendable (StartReport) -> Void) async throws {
        let log = LineLog.logger(hasTimes: hasTimes)
        let service = RecordingService(configuration, opener: DeviceOpener(), log: log)
        let outcome = await service.run(report: report)
        if outcome.status.file != nil { log.info("\(outcome.status.account)") }
        if let failure = outcome.failure { throw CommandFailure("", ExitCode(for: failure)) }
    }
}

package import CommandInterface

/// The output of `recorder doctor`.
package struct DoctorReport: Encodable, Sendable {
    private enum CodingKeys: String, CodingKey {
        case system, checks, verdict
    }

    package let system: SystemFacts
    package let checks: [DoctorFinding]
    /// The worst verdict of all checks.
    package let verdict: DoctorFinding.Verdict
    /// The connected devices, for `--report`; nil if they did not answer.
    private let devices: DeviceList?
    /// The model of the board, for `--report`.
    private let board: String?
    /// The tests of the hardware encoders, for `--report`; nil if an encoder did not answer.
    private let trials: [EncoderTrial]?

    init(
        system: SystemFacts, checks: [DoctorFinding], devices: DeviceList?, board: String? = nil,
        trials: [EncoderTrial]? = []
    ) {
        self.system = system
        self.checks = checks
        verdict = checks.map(\.verdict).max() ?? .ok
        self.devices = devices
        self.board = board
        self.trials = trials
    }

    /// One line for each check.
    package var text: String { checks.map(\.line).joined(separator: "\n") }

    /// The system, the devices and the checks, for a bug report.
    package var fullText: String {
        let machine = [system.text] + (board.map { ["board: \($0)"] } ?? [])
        let tests = trials.map { $0.map(\.text) } ?? ["the encoders do not answer"]
        return [
            machine.joined(separator: "\n"), devices?.text ?? "the devices do not answer",
            tests.joined(separator: "\n"), text,
        ]
        .filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    /// The exit code of the command.
    package var exitCode: ExitCode { verdict == .problem ? .unavailable : .done }
}

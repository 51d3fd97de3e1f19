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

    init(system: SystemFacts, checks: [DoctorFinding], devices: DeviceList?) {
        self.system = system
        self.checks = checks
        verdict = checks.map(\.verdict).max() ?? .ok
        self.devices = devices
    }

    /// One line for each check.
    package var text: String { checks.map(\.line).joined(separator: "\n") }

    /// The system, the devices and the checks, for a bug report.
    package var fullText: String {
        [system.text, devices?.text ?? "the devices do not answer", text].joined(separator: "\n\n")
    }

    /// The exit code of the command.
    package var exitCode: ExitCode { verdict == .problem ? .unavailable : .done }
}

package import CommandInterface
import FileSystem
import RecorderControl
package import RecorderStorage

/// The recorders that `recorder doctor` examines.
package struct DoctorChoice: Sendable {
    /// The recorders' configurations. Each recorder occurs once.
    let sources: [ConfigurationSource]
    /// The findings for configuration files whose names are not valid for a recorder.
    let findings: [DoctorFinding]
    /// The environment with which the configurations are read.
    let environment: [String: String]

    /// Chooses the named recorders and the configured members of groups. Without names, chooses all configured
    /// recorders, or the default one if none is configured.
    ///
    /// - Parameter file: The configuration file of the only recorder, or nil for the recorder's own file.
    /// - Throws: An error with a message for the user if a recorder or a group does not exist.
    package init(
        _ subjects: [RecorderSubject], file: String?, environment: [String: String] = ProcessText.environment
    ) throws(OptionError) {
        self.environment = environment
        let standard = ConfigurationSource(.standard, file: file, environment: environment)
        if subjects.isEmpty {
            let texts = standard.isNamed ? [] : standard.configuredNames
            let names = texts.compactMap { try? RecordingName(parsing: $0) }
            sources = names.isEmpty ? [standard] : names.map { ConfigurationSource($0, environment: environment) }
            findings = texts.filter { (try? RecordingName(parsing: $0)) == nil }.map { text in
                DoctorFinding(
                    .configuration, "\(text).yaml", .hint, "no recorder can have this name",
                    wayOut: "rename the file, such as front.yaml")
            }
            return
        }
        var names: [RecordingName] = []
        for subject in subjects {
            switch subject {
            case .recorder(let name):
                if name != .standard, !standard.isNamed { try KnownRecorders().check(name) }
                names.append(name)
            case .group(let group):
                let members = standard.members(of: group)
                if members.isEmpty { throw OptionError("no configuration has group: \(group)") }
                names += members
            }
        }
        var seen: Set<RecordingName> = []
        sources = names.filter { seen.insert($0).inserted }
            .map { ConfigurationSource($0, file: file, environment: environment) }
        findings = []
    }
}

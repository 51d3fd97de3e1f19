package import CommandInterface
import FileSystem
import Foundation
import MediaTypes

/// The source of one recorder's configuration: the options, the environment and the file. It stores the options and the
/// environment, and finds the file. A running process can therefore read the configuration again.
///
/// The environment overrides the file, and options override both.
package struct ConfigurationSource: Sendable {
    package let name: RecordingName
    private let flags: [SettingAssignment]
    private let environment: [String: String]
    /// The file that the user named, as an absolute path.
    private let namedFile: String?
    private let systemDirectory: String

    /// Creates the source for one recorder.
    ///
    /// - Parameters:
    ///   - flags: The settings from the command line.
    ///   - file: The value of `--config`; nil to use `RECORDER_CONFIG`, else the recorder's own file.
    package init(
        _ name: RecordingName, flags: [SettingAssignment] = [], file: String? = nil,
        environment: [String: String] = ProcessText.environment,
        systemDirectory: String = "/etc/recorder",
        workingDirectory: String = ProcessText.workingDirectory
    ) {
        self.name = name
        self.flags = flags
        self.environment = environment
        self.systemDirectory = systemDirectory
        let named = file ?? environment["RECORDER_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        namedFile = named.map {
            $0.hasPrefix("/") ? $0 : workingDirectory.appendingComponent($0)
        }
    }

    /// True if the user named a file. The recorder then needs no file that is named after it.
    package var isNamed: Bool { namedFile != nil }

    /// The directories that are searched for a recorder's own file: the user's, then the system's. Only the first file
    /// found counts. For a service without a home directory, only the system's directory is searched.
    package var directories: [String] {
        func absolute(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let own = absolute("XDG_CONFIG_HOME") ?? absolute("HOME").map { $0 + "/.config" }
        return (own.map { [$0 + "/recorder"] } ?? []) + [systemDirectory]
    }

    /// Reads all sources again.
    ///
    /// - Throws: The error with its position and advice. The stage is `usage` if only options are wrong, else
    ///   `configuration`.
    package func load() throws(RecordingFailure) -> RecordingConfiguration { try resolve().configuration }

    /// Reads all sources again, and returns each setting with its origin.
    package func resolve() throws(RecordingFailure) -> EffectiveConfiguration {
        let found: (path: String, assignments: [SettingAssignment])?
        do throws(MediaError) {
            found = try findFile()
            try checkVariables()
        } catch { throw RecordingFailure(.configuration, error) }
        let variables = SettingsEnvironment.assignments(environment)
        if found == nil, flags.isEmpty, variables.isEmpty { try checkName(among: configuredNames) }
        return try EffectiveConfiguration.resolve(
            [found?.assignments ?? [], variables, flags], name: name, file: found?.path)
    }

    /// The recorders that have a file, sorted.
    package var configuredNames: [String] {
        let files = directories.flatMap { FolderContents.names(in: $0) ?? [] }
        return Set(files.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(".yaml".count)) }).sorted()
    }

    /// Returns the recorders that are members of the group according to their files, sorted. Unreadable files are
    /// ignored.
    package func members(of group: String) -> [RecordingName] {
        configuredNames.compactMap { try? RecordingName(parsing: $0) }
            .filter { (try? ConfigurationSource($0, environment: environment).load())?.group == group }
    }

    /// Describes the `RECORDER_…` variables that are ignored, one sentence for each. They may belong to other programs.
    package var ignoredVariables: [String] {
        SettingsEnvironment.unknown(environment).filter { $0.meant == nil }
            .map { "ignoring unknown variable \($0.variable)" }
    }

    /// Refuses a variable whose name is almost that of a setting, because it is probably misspelt.
    private func checkVariables() throws(MediaError) {
        for case (let variable, let meant?) in SettingsEnvironment.unknown(environment) {
            throw ConfigurationText.refusal(
                variable, "unknown variable", "did you mean “\(meant)”? If not, run `unset \(variable)`")
        }
    }

    /// Checks the name of a recorder that has no configuration at all. A name that is almost another recorder's name is
    /// probably misspelt. The recording would then use the defaults.
    ///
    /// - Parameter known: The other recorders' names.
    /// - Throws: An error with the stage `usage`.
    package func checkName(among known: [String]) throws(RecordingFailure) {
        guard name != .standard, !known.contains(name.description),
            let meant = Spelling.nearest(to: name.description, in: known)
        else { return }
        throw RecordingFailure(
            .usage,
            MediaError(
                .invalidSettings, "cannot record \(name)", reason: "it has neither a configuration nor an option",
                wayOut: "did you mean “\(meant)”? If not, add an option such as --camera, or create \(name).yaml"))
    }

    private func findFile() throws(MediaError) -> (path: String, assignments: [SettingAssignment])? {
        if let namedFile {
            guard let assignments = try ConfigurationFile.assignments(namedFile) else {
                throw ConfigurationText.refusal(
                    "cannot read \(namedFile)", "no such file", "check the path")
            }
            return (namedFile, assignments)
        }
        for directory in directories {
            let path = "\(directory)/\(name).yaml"
            if let assignments = try ConfigurationFile.assignments(path) { return (path, assignments) }
            let other = "\(directory)/\(name).yml"
            guard access(other, F_OK) != 0 else {
                throw ConfigurationText.refusal(
                    "cannot use \(other)", "the file must be named \(name).yaml", "`mv \(other) \(path)`")
            }
        }
        return nil
    }
}

package import CommandInterface
import FileSystem
import Foundation
import MediaTypes

/// Where the configuration of one recorder is from: a value that remembers options, environment and file, so that a
/// running process can look again.
///
/// A file is weaker than the environment, and that weaker than an option.
package struct ConfigurationSource: Sendable {
    package let name: RecordingName
    private let flags: [SettingAssignment]
    private let environment: [String: String]
    /// The one that somebody named, absolute.
    private let namedFile: String?
    private let systemDirectory: String

    /// - Parameters:
    ///   - flags: what the command line decides.
    ///   - file: `--config`; nil for `RECORDER_CONFIG`, else the recorder's own file.
    package init(
        _ name: RecordingName, flags: [SettingAssignment] = [], file: String? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        systemDirectory: String = "/etc/recorder",
        workingDirectory: String = ProcessText.workingDirectory
    ) {
        self.name = name
        self.flags = flags
        self.environment = environment
        self.systemDirectory = systemDirectory
        let named = file ?? environment["RECORDER_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        namedFile = named.map {
            $0.hasPrefix("/") ? $0 : (workingDirectory as NSString).appendingPathComponent($0)
        }
    }

    /// Somebody named a file: the recorder is known by that.
    var isNamed: Bool { namedFile != nil }

    /// The directories in which a recorder's own file is looked for: the user's, then the system's. The first file counts,
    /// alone. A service without a home has the system's only.
    package var directories: [String] {
        func absolute(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let own = absolute("XDG_CONFIG_HOME") ?? absolute("HOME").map { $0 + "/.config" }
        return (own.map { [$0 + "/recorder"] } ?? []) + [systemDirectory]
    }

    /// Reads everything anew.
    ///
    /// - Throws: what is wrong, with its place and the way out. Stage `usage` where only options are to blame, else
    ///   `configuration`.
    package func load() throws(RecordingFailure) -> RecordingConfiguration { try resolve().configuration }

    /// The same, with where each part is from.
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
        let files = directories.flatMap { (try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? [] }
        return Set(files.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(".yaml".count)) }).sorted()
    }

    /// The recorders whose file says that they are of a group, sorted. A file that cannot be read says nothing.
    package func members(of group: String) -> [RecordingName] {
        configuredNames.compactMap { try? RecordingName(parsing: $0) }
            .filter { (try? ConfigurationSource($0, environment: environment).load())?.group == group }
    }

    /// `RECORDER_…` variables that decide nothing, a sentence for each: somebody else's perhaps.
    package var ignoredVariables: [String] {
        SettingsEnvironment.unknown(environment).filter { $0.meant == nil }
            .map { "\($0.variable) is none of this program's variables, and decides nothing" }
    }

    /// A variable that is all but called like one of ours was meant to decide something.
    private func checkVariables() throws(MediaError) {
        for case (let variable, let meant?) in SettingsEnvironment.unknown(environment) {
            throw ConfigurationText.refusal(
                variable, "there is no such variable", "did you mean “\(meant)”? `unset \(variable)` if not")
        }
    }

    /// A name about which nothing at all is said, and which is all but another's, is a slip of the fingers: it would be
    /// recorded with the defaults.
    ///
    /// - Parameter known: other recorders' names.
    /// - Throws: with the stage `usage`.
    package func checkName(among known: [String]) throws(RecordingFailure) {
        guard name != .standard, !known.contains(name.description),
            let meant = Spelling.nearest(to: name.description, in: known)
        else { return }
        throw RecordingFailure(
            .usage,
            MediaError(
                .invalidSettings, "cannot record \(name)", reason: "nothing says what it is",
                wayOut: "did you mean “\(meant)”? A recording of its own has an option, as --camera, or \(name).yaml"))
    }

    private func findFile() throws(MediaError) -> (path: String, assignments: [SettingAssignment])? {
        if let namedFile {
            guard let assignments = try ConfigurationFile.assignments(namedFile) else {
                throw ConfigurationText.refusal(
                    "cannot read \(namedFile)", "there is no such file", "name one that is there")
            }
            return (namedFile, assignments)
        }
        for directory in directories {
            let path = "\(directory)/\(name).yaml"
            if let assignments = try ConfigurationFile.assignments(path) { return (path, assignments) }
            let other = "\(directory)/\(name).yml"
            guard access(other, F_OK) != 0 else {
                throw ConfigurationText.refusal(
                    "cannot use \(other)", "it would be read as \(name).yaml only", "`mv \(other) \(path)`")
            }
        }
        return nil
    }
}

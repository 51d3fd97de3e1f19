import ArgumentParser
import CommandInterface
import FileSystem
import Foundation
import MediaTypes
import RecorderStorage

/// `recorder config`
struct ConfigCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Checks configuration files, or shows the settings.",
        subcommands: [ConfigCheckCommand.self, ConfigShowCommand.self])
    static let examples = ["recorder config check", "recorder config show front --segment 10m"]
}

/// `recorder config check`
struct ConfigCheckCommand: ParsableCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Checks configuration files.",
        discussion: "Exits with 0 if all are valid, else with 78 and the file, line and key of the error.")
    static let examples = ["recorder config check", "recorder config check front"]

    @Argument(
        help: "Recorder or configuration file (default: all recorders).", completion: .file(extensions: ["yaml"]))
    var subject: String?

    /// Checks every file.
    func run() throws {
        guard let subject else { return try checkAll() }
        // A path or a file name is a file, a word is a recorder.
        if subject.contains("/") || subject.hasSuffix(".yaml") {
            let stem = subject.lastComponent.replacing(".yaml", with: "")
            let name = (try? RecordingName(parsing: stem)) ?? .standard
            try check(ConfigurationSource(name, file: subject))
            return
        }
        let name: RecordingName
        do { name = try RecordingName(parsing: subject) } catch { throw CommandFailure(error.description, .usage) }
        let source = ConfigurationSource(name)
        guard try check(source) else {
            throw CommandFailure(
                "there is no \(name).yaml in \(source.directories.joined(separator: " or "))", .configuration)
        }
    }

    private func checkAll() throws {
        let source = ConfigurationSource(.standard)
        let names = source.configuredNames
        if names.isEmpty {
            StandardError.line("recorder: no configuration in \(source.directories.joined(separator: " or "))")
        }
        var failure: CommandFailure?
        for text in names {
            do {
                guard let name = try? RecordingName(parsing: text) else {
                    throw CommandFailure(
                        "“\(text).yaml” has an invalid name: rename it, such as front.yaml", .configuration)
                }
                try check(ConfigurationSource(name))
            } catch let error as CommandFailure {
                StandardError.line("recorder: \(error.message)")
                failure = CommandFailure("", .configuration)
            }
        }
        if let failure { throw failure }
    }

    /// Checks one configuration.
    ///
    /// - Returns: true if there is a file.
    @discardableResult
    private func check(_ source: ConfigurationSource) throws -> Bool {
        do throws(RecordingFailure) {
            let effective = try source.resolve()
            guard let file = effective.file else { return false }
            let missing = effective.missingPlaces
            for place in missing.dropLast() { StandardError.line("recorder: \(place)") }
            if let last = missing.last { throw RecordingFailure(.configuration, last) }
            for note in effective.configuration.notes { StandardError.line("recorder: \(file): \(note)") }
            StandardOutput.line("\(file): ok")
            return true
        } catch { throw CommandFailure(error) }
    }
}

/// `recorder config show`
struct ConfigShowCommand: RecordingCommand, ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows every setting and where it comes from.",
        usage: "recorder config show [<name>] [<options of start>] [--json]")
    static let examples = ["recorder config show front --segment 10m"]

    @Argument(
        help: ArgumentHelp("Name of the recorder.", visibility: .hidden), completion: .recorders,
        transform: RecordingName.init(parsing:))
    var name = RecordingName.standard

    @OptionGroup(title: "Devices", visibility: .hidden) var devices: DeviceOptions
    @OptionGroup(title: "Devices", visibility: .hidden) var frames: FrameStageOptions
    @OptionGroup(title: "Encoding", visibility: .hidden) var encoding: EncodingOptions
    @OptionGroup(title: "Files", visibility: .hidden) var files: FileOptions
    @OptionGroup(title: "Files", visibility: .hidden) var retention: RetentionOptions
    @OptionGroup(title: "Files", visibility: .hidden) var copies: CopyOptions
    @OptionGroup(title: "Service", visibility: .hidden) var service: ServiceOptions
    @OptionGroup(title: "Service", visibility: .hidden) var configurationFile: ConfigurationFileOption

    @Flag(help: "Print one JSON object.")
    var json = false

    private struct Answer: Encodable {
        var name: String
        @OrNull var file: String?
        var settings: [EffectiveConfiguration.Line]
    }

    func run() throws {
        let source = options.source(of: name)
        for variable in source.ignoredVariables { StandardError.line("recorder: \(variable)") }
        let effective: EffectiveConfiguration
        do throws(RecordingFailure) { effective = try source.resolve() } catch { throw CommandFailure(error) }
        if json {
            let answer = Answer(name: name.description, file: effective.file, settings: effective.lines)
            return StandardOutput.line(JSONText.line(answer))
        }
        StandardOutput.line(effective.text)
    }
}

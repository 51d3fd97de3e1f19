import ArgumentParser
import RecorderService

/// The options of one recording, shared by `start`, `run` and `config show`.
struct RecordingOptions: ParsableArguments {
    @Argument(help: "What the recording is called.", completion: .recorders, transform: RecordingName.init(parsing:))
    var name = RecordingName.standard

    @OptionGroup(title: "Devices") var devices: DeviceOptions
    @OptionGroup(title: "Encoding") var encoding: EncodingOptions
    @OptionGroup(title: "Files") var files: FileOptions
    @OptionGroup(title: "Files") var keeping: KeepingOptions
    @OptionGroup(title: "Service") var service: ServiceOptions
    @OptionGroup(title: "Service") var configuration: ConfigurationFileOption

    /// Every option that was given.
    var assignments: [SettingAssignment] {
        devices.assignments + encoding.assignments + files.assignments + keeping.assignments + service.assignments
    }

    /// Where this recording's configuration is from: file, environment and these words.
    var source: ConfigurationSource {
        ConfigurationSource(name, flags: assignments, file: configuration.config)
    }
}

struct ConfigurationFileOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("This configuration in place of NAME.yaml.", valueName: "file"),
        completion: .file(extensions: ["yaml"]))
    var config: String?
}

extension ConfigurationSource {
    /// - Throws: the line and the exit code for what is wrong with it.
    func loadOrFail() throws(CommandFailure) -> RecordingConfiguration {
        for variable in ignoredVariables { StandardError.line("recorder: \(variable)") }
        do throws(RecordingFailure) { return try load() } catch { throw CommandFailure(error) }
    }
}

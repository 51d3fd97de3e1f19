import CommandInterface
import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// The precedence of file, environment and options.
@Suite struct ConfigurationSourceTests {
    private let directory: TemporaryDirectory
    private let front: RecordingName

    init() throws {
        directory = try TemporaryDirectory()
        front = try RecordingName(parsing: "front")
        for name in ["own/recorder", "etc"] {
            try FileManager.default.createDirectory(at: directory.file(name), withIntermediateDirectories: true)
        }
    }

    private func write(_ text: String, _ name: String = "etc/front.yaml") throws {
        try Data(text.utf8).write(to: directory.file(name))
    }

    private func source(
        _ flags: [(String, String)] = [], environment: [String: String] = [:], file: String? = nil
    ) throws -> ConfigurationSource {
        ConfigurationSource(
            front,
            flags: try flags.map { key, text in
                SettingAssignment(try #require(RecordingSetting.named(key)), text, from: .flag("--\(key)"))
            }, file: file, environment: environment, systemDirectory: directory.path("etc"),
            workingDirectory: directory.url.path)
    }

    private func failure(_ source: ConfigurationSource) -> RecordingFailure? {
        do throws(RecordingFailure) {
            _ = try source.load()
            return nil
        } catch { return error }
    }

    @Test func resolve_fileEnvironmentAndOption_laterOverridesEarlier() throws {
        try write("segment: 10m\nsize: 640x480\ncrf: 20\n")
        let effective = try source(
            [("crf", "30")], environment: ["RECORDER_SEGMENT": "5m", "RECORDER_CRF": "25", "RECORDER_SIZE": ""]
        ).resolve()
        let configuration = effective.configuration
        #expect(configuration.name == front)
        #expect(configuration.segments.duration == MediaTime(value: 300, timescale: 1))
        #expect(configuration.size?.width == 640)
        let from = Dictionary(uniqueKeysWithValues: effective.lines.map { ($0.key, $0.from) })
        #expect(from["segment"] == "RECORDER_SEGMENT")
        #expect(from["size"] == directory.path("etc/front.yaml") + ":2")
        #expect(from["crf"] == "--crf")
        #expect(from["camera"] == "default")
        #expect(effective.lines.first { $0.key == "crf" }?.value == "30")
        #expect(effective.file == directory.path("etc/front.yaml"))
    }

    @Test func load_entriesOfOneKey_areOverriddenOneByOne() throws {
        try write("hook: {start: a, stop: b}\ncontrol: {gain: 1, focus_absolute: 2}\n")
        let configuration = try source(
            [("hook", "stop="), ("control", "gain=9")],
            environment: [
                "RECORDER_HOOK_DEVICE_LOST": "c", "RECORDER_HOOK_TIME_LIMIT": "5s", "RECORDER_CONTROL_GROUP": "video",
                "RECORDER_CONTROL_ZOOM_ABSOLUTE": "3",
            ]
        ).load()
        #expect(configuration.hooks.commands == [.start: "a", .deviceLost: "c"])
        #expect(configuration.hooks.timeLimit == MediaTime(value: 5, timescale: 1))
        #expect(configuration.controlGroup == "video")
        #expect(
            configuration.controls.map { "\($0.name)=\($0.value ?? -1)" } == [
                "gain=9", "focus_absolute=2", "zoom_absolute=3",
            ])
    }

    @Test func load_contradictionOfAWeakerSource_isDropped() throws {
        try write("crf: 20\npreset: slow\nsize: 640x480\naudio-bit-rate: 64k\nsegment: 10m\nalign: true\n")
        #expect(
            try source([("bit-rate", "6M")]).load().video
                == .h264(
                    preset: "slow", rateControl: .bitRate(6_000_000),
                    keyframeInterval: MediaTime(value: 2, timescale: 1)))
        #expect(try source([("codec", "passthrough")]).load().video == .passthrough)
        #expect(try source([("camera", "none")]).load().size == nil)
        #expect(try source(environment: ["RECORDER_AUDIO_CODEC": "pcm"]).load().audio.bitRate == nil)
        let open = try source([("segment", "none")]).load()
        #expect(open.segments == SegmentRules())
    }

    @Test func load_contradiction_reportsItsSource() throws {
        #expect(failure(try source([("crf", "20"), ("bit-rate", "6M")]))?.stage == .usage)
        try write("align: true\n")
        let inFile = try #require(failure(try source()))
        #expect(inFile.stage == .configuration)
        #expect(ExitCode(for: inFile) == .configuration)
        #expect(inFile.description.contains("align is set by \(directory.path("etc/front.yaml")):1"))
        #expect(failure(try source([("segment", "10m")])) == nil)
        let mixed = try #require(failure(try source([("segment", "7m")])))
        #expect(mixed.stage == .configuration)
        #expect(mixed.description.contains("divides a day"))
    }

    @Test func load_invalidText_reportsItsSource() throws {
        let typed = try #require(failure(try source([("duration", "never")])))
        #expect(ExitCode(for: typed) == .usage)
        #expect(typed.description.hasPrefix("--duration: “never”"))
        let variable = try #require(failure(try source(environment: ["RECORDER_DURATION": "never"])))
        #expect(ExitCode(for: variable) == .configuration)
        #expect(variable.description.hasPrefix("RECORDER_DURATION: “never”"))
        try write("\nduration: never\n")
        // The file's error is reported even if a stronger source sets the key.
        let file = try #require(failure(try source([("duration", "10s")])))
        #expect(ExitCode(for: file) == .configuration)
        #expect(file.description.hasPrefix(directory.path("etc/front.yaml") + ":2: duration: “never”"))
    }

    @Test func load_ownFile_replacesTheSystemFile() throws {
        let environment = ["XDG_CONFIG_HOME": directory.path("own")]
        #expect(try source(environment: environment).resolve().file == nil)
        try write("size: 640x480\nsegment: 10m\n")
        #expect(try source(environment: environment).load().segments.duration != nil)
        try write("size: 320x240\n", "own/recorder/front.yaml")
        let own = try source(environment: environment).load()
        #expect(own.size?.width == 320)
        #expect(own.segments.duration == nil)
        // A service has no home directory.
        #expect(try source().load().size?.width == 640)
        try write("size: 16x16\n", "named.yaml")
        #expect(try source(environment: environment, file: "named.yaml").load().size?.width == 16)
        #expect(try source(environment: ["RECORDER_CONFIG": directory.path("named.yaml")]).load().size?.width == 16)
        #expect(failure(try source(file: "missing.yaml")).map(ExitCode.init(for:)) == .configuration)
    }

    @Test func load_mistypedName_isRefusedUnlessConfigured() throws {
        try write("size: 640x480\n", "etc/fornt.yaml")
        let refused = try #require(failure(try source()))
        #expect(ExitCode(for: refused) == .usage)
        #expect(refused.description.contains("did you mean “fornt”?"))
        #expect(failure(try source([("camera", "test")])) == nil)
        #expect(failure(try source(environment: ["RECORDER_CAMERA": "test"])) == nil)
        try write("size: 640x480\n", "named.yaml")
        #expect(failure(try source(file: "named.yaml")) == nil)
        try write("size: 640x480\n")
        #expect(failure(try source()) == nil)
    }

    @Test func load_unknownVariable_isRefusedIfMistypedElseReported() throws {
        let refused = try #require(failure(try source(environment: ["RECORDER_SEGMNET": "10m"])))
        #expect(ExitCode(for: refused) == .configuration)
        #expect(refused.description.contains("did you mean “RECORDER_SEGMENT”?"))
        let foreign = try source(environment: [
            "RECORDER_UPLOAD_TOKEN": "x", "RECORDER_SEGMNET": "", "RECORDER_HOOK": "stop=true",
        ])
        #expect(failure(foreign) == nil)
        #expect(
            foreign.ignoredVariables == [
                "ignoring unknown variable RECORDER_HOOK", "ignoring unknown variable RECORDER_UPLOAD_TOKEN",
            ])
    }

    @Test func load_startedByAHook_ignoresItsVariables() throws {
        var facts = HookInfo(
            file: "/a.mov", device: "d", seconds: 1, bytes: 2, free: 3, error: "e", copy: "c", activity: 1)
        facts.name = "front"
        #expect(Set(facts.environment.keys) == HookInfo.variables)
        let source = try source(environment: facts.environment.merging(["RECORDER_RUNTIME_DIRECTORY": "/run"]) { $1 })
        #expect(failure(source) == nil)
        #expect(source.ignoredVariables.isEmpty)
    }

    /// The example in docs/reference/configuration.md.
    @Test func load_exampleOfTheDocumentation_isValid() throws {
        let page = try String(contentsOf: Project.file("docs/reference/configuration.md"), encoding: .utf8)
        let example = try #require(page.firstMatch(of: /`{3}yaml\n((?:.|\n)*?)`{3}/)).1
        try write(String(example))
        let configuration = try source().load()
        #expect(configuration.segments.isAligned)
        #expect(configuration.hooks.commands.count == 2)
        let options = try String(contentsOf: Project.file("docs/reference/command-line.md"), encoding: .utf8)
        for setting in RecordingSetting.all { #expect(options.contains("`\(setting.flag)"), "\(setting.key)") }
    }

    @Test func load_fileWithWrongExtension_fails() throws {
        try write("size: 640x480\n", "etc/front.yml")
        #expect(failure(try source())?.description.contains("front.yaml") == true)
    }

    @Test func load_changedFile_reportsAndAdoptsChanges() throws {
        try write("segment: 10m\n")
        let source = try source([("size", "640x480")])
        let before = try source.load()
        try write("segment: 5m\ncamera: test\nhook: {stop: b}\nreserve: 1G\n")
        let after = try source.load()
        #expect(
            ConfigurationChange.between(before, after).map(\.description) == [
                "camera: not set → test (takes effect at the next start)", "segment: 10m → 5m", "reserve: 100M → 1G",
                "hook: not set → stop=b",
            ])
        let adopted = ConfigurationChange.adopt(after, into: before)
        #expect(adopted.camera == before.camera)
        #expect(adopted.segments == after.segments)
        #expect(adopted.hooks == after.hooks)
        #expect(ConfigurationChange.between(adopted, after).map(\.key) == ["camera"])
        #expect(ConfigurationChange.between(after, after).isEmpty)
        try write("segment: 5m\nsegmant: 1\n")
        #expect(failure(source)?.stage == .configuration)
    }
}

import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// The script and the examples for MQTT in docs/guide/home-assistant.md.
@Suite(.timeLimit(.minutes(10))) struct MQTTHookTests {
    private let directory: TemporaryDirectory
    private let page: String
    private let log = LogLines()

    init() throws {
        directory = try TemporaryDirectory()
        page = try String(contentsOf: Project.file("docs/guide/home-assistant.md"), encoding: .utf8)
        let script = try #require(page.firstMatch(of: /`{3}\n(#!\/bin\/sh\n(?:.|\n)*?)`{3}/)).output.1
        try write(String(script), "recorder-mqtt")
        // Stand-ins, which write down how they are called.
        try write("#!/bin/sh\necho \"$1 of $2 $3 $4\"\n", "recorder")
        try write(
            """
            #!/bin/sh
            exec >>'\(directory.path("calls"))'
            echo "$@"
            case "$*" in *--stdin-file*) cat ;; esac

            """, "mosquitto_pub")
    }

    private func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: directory.file(name))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.path(name))
    }

    /// Runs the script for an event and returns the messages that it publishes.
    private func published(_ event: HookCommands.Event, _ facts: HookInfo = HookInfo()) async -> String {
        let runner = HookRunner(
            HookCommands(commands: [event: "recorder-mqtt"]), name: .standard, log: log.logger,
            environment: ["PATH": directory.url.path + ":/usr/bin:/bin"])
        runner.run(event, facts)
        await runner.finish()
        return (try? String(contentsOfFile: directory.path("calls"), encoding: .utf8)) ?? ""
    }

    @Test func start_publishesFactsStateAndStill() async {
        let calls = await published(.start, HookInfo(file: "/videos/take.mov"))
        #expect(calls.hasPrefix("--qos 1 --topic recorder/default/start --stdin-file\n{"), "\(calls)")
        #expect(calls.contains(#""file":"/videos/take.mov""#))
        #expect(calls.contains("--topic recorder/default/recording --retain --message ON\n"))
        #expect(
            calls.contains(
                "--topic recorder/default/still --retain --stdin-file\nsnapshot of default --output -\n"))
        #expect(log.lines == ["info: hook start: done"])
    }

    @Test(arguments: [HookCommands.Event.stop, .died]) func end_publishesTheState(event: HookCommands.Event) async {
        let calls = await published(event)
        #expect(calls.contains("--topic recorder/default/recording --retain --message OFF\n"), "\(calls)")
        #expect(!calls.contains("/still"))
    }

    @Test func otherEvent_publishesFactsAlone() async {
        let calls = await published(.deviceLost, HookInfo(device: "camera"))
        #expect(calls.contains("/device-lost --stdin-file\n") && calls.contains(#""device":"camera""#), "\(calls)")
        #expect(!calls.contains("/still") && !calls.contains("/recording"))
    }

    @Test func examples_nameOnlyHooksAndFacts() throws {
        let list = try #require(page.firstMatch(of: /hook:\n((?:  [a-z-]+: recorder-mqtt\n)+)/)).output.1
        let hooks = list.matches(of: /([a-z-]+):/).map { String($0.output.1) }
        #expect(hooks.count == 9 && hooks.allSatisfy { HookCommands.Event(rawValue: $0) != nil }, "\(hooks)")
        let topics = page.matches(of: /topic: recorder\/front\/([a-z-]+)/).map { String($0.output.1) }
        #expect(topics.count == 5 && Set(hooks + ["recording", "still"]).isSuperset(of: topics), "\(topics)")
        let variables = page.matches(of: /\$(RECORDER_[A-Z]+)/).map { String($0.output.1) }
        #expect(!variables.isEmpty && HookInfo.variables.isSuperset(of: variables), "\(variables)")
        let facts = Set(HookInfo.variables.map { $0.dropFirst("RECORDER_".count).lowercased() })
        let mqtt = try #require(page.firstMatch(of: /`{3}yaml\n(mqtt:\n(?:.|\n)*?)`{3}/)).output.1
        let used = mqtt.matches(of: /(?:value_json|payload_json)\.(\w+)/).map { String($0.output.1) }
        #expect(used.count == 4 && facts.isSuperset(of: used), "\(used)")
    }
}

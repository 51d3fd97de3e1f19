import Foundation
import Testing

@Suite struct HelpTests {
    @Test(arguments: [
        "", "devices", "start", "stop", "status", "run", "info", "frames", "waveform", "repair", "reencode",
        "pause", "resume", "reload", "split", "save", "mark", "snapshot", "config", "retention", "copy", "list",
        "delete", "keep", "unkeep", "doctor",
    ])
    func help_fitsAScreenAndEndsWithTwoExamples(subcommand: String) async throws {
        try await Command.inDirectory { command in
            let help = try await command.run(subcommand.split(separator: " ").map(String.init) + ["--help"])
            #expect(help.exitCode == 0)
            #expect(help.errors.isEmpty)
            #expect(help.outputLines.count <= (subcommand.isEmpty ? 44 : 40))
            #expect(help.outputLines.allSatisfy { $0.count <= 80 })
            #expect(help.outputLines.dropLast(2).last == "EXAMPLES:")
            #expect(help.outputLines.suffix(2).allSatisfy { $0.contains("recorder ") })
        }
    }

    /// The commands as `--experimental-dump-help` lists them.
    struct Commands: Decodable {
        struct Node: Decodable {
            let commandName: String
            let shouldDisplay: Bool
            let subcommands: [Node]?

            /// The words of this command and of those below it, such as "recorder archive run". Without hidden ones.
            var paths: [String] {
                let inner = (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
                return [commandName] + inner.flatMap(\.paths).map { "\(commandName) \($0)" }
            }
        }

        let command: Node
    }

    @Test func help_everySubcommand_showsOnlyItsOwnExamples() async throws {
        try await Command.inDirectory { command in
            let list = try await command.run("--experimental-dump-help")
            let paths = try JSONDecoder().decode(Commands.self, from: Data(list.output.utf8)).command.paths
            for nested in ["archive run", "archive status", "archive resume", "mirror repair", "key new"] {
                #expect(paths.contains("recorder " + nested))
            }
            for path in paths {
                let help = try await command.run(path.split(separator: " ").dropFirst().map(String.init) + ["--help"])
                #expect(help.exitCode == 0, "\(path): \(help.errors)")
                let text = help.output.components(separatedBy: "\nEXAMPLES:\n").dropFirst().joined()
                // The text of `web` continues after its examples.
                let examples = text.components(separatedBy: "\n").prefix { !$0.isEmpty }
                #expect(!examples.isEmpty, "\(path) has no examples")
                for example in examples {
                    // A shell's command may be before it: mv "$(recorder stop)" …
                    let start = example.range(of: "recorder ")?.lowerBound ?? example.endIndex
                    #expect((example[start...] + " ").hasPrefix(path + " "), "\(path):\(example)")
                }
            }
        }
    }

    @Test func version_isOneLine() async throws {
        try await Command.inDirectory { command in
            let version = try await command.run("--version")
            #expect(version.exitCode == 0)
            #expect(version.output.wholeMatch(of: /recorder \d+\.\d+\.\d+\n/) != nil)
        }
    }

    @Test func devices_listsTheTestDevices() async throws {
        try await Command.inDirectory { command in
            let text = try await command.run("devices")
            #expect(text.exitCode == 0)
            #expect(text.outputLines.filter { $0.hasPrefix("  test  ") }.count == 2)
            let json = try await command.run("devices", "--json")
            let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
            #expect(object.map { Set($0.keys) } == ["cameras", "encoders", "microphones"])
        }
    }
}

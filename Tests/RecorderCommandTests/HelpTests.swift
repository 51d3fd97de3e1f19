import Foundation
import Testing

@Suite struct HelpTests {
    @Test(arguments: [
        "", "devices", "start", "stop", "status", "run", "info", "frames", "waveform", "repair", "reencode",
        "pause", "resume", "reload", "split", "save", "mark", "snapshot", "config", "retention", "copy", "list",
        "delete",
    ])
    func help_fitsAScreenAndEndsWithTwoExamples(subcommand: String) async throws {
        try await Command.inDirectory { command in
            let help = try await command.run(subcommand.split(separator: " ").map(String.init) + ["--help"])
            #expect(help.exitCode == 0)
            #expect(help.errors.isEmpty)
            #expect(help.outputLines.count <= 40)
            #expect(help.outputLines.allSatisfy { $0.count <= 80 })
            #expect(help.outputLines.dropLast(2).last == "EXAMPLES:")
            #expect(help.outputLines.suffix(2).allSatisfy { $0.contains("recorder ") })
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
            #expect(object.map { Set($0.keys) } == ["cameras", "microphones"])
        }
    }
}

import Foundation
import TestSupport
import Testing

/// The help of `recorder web`, its errors, and the examples of nested commands.
@Suite struct WebHelpTests {
    @Test(arguments: ["--help", "-h"]) func webHelp_showsEveryOption(word: String) async throws {
        try await Command.inDirectory { command in
            let help = try await command.run("web", word)
            #expect(help.exitCode == 0 && help.errors.isEmpty)
            for option in [
                "--open", "--port", "--listen", "--certificate", "--key", "--socket", "--group", "--host",
                "--metrics-token", "--metrics-from",
            ] {
                #expect(help.output.contains("  \(option)"), "\(option)")
            }
            #expect(help.output.contains("recorder web user --help") && !help.output.contains("web serve"))
            #expect(help.outputLines.allSatisfy { $0.count <= 80 })
        }
    }

    @Test func web_invalidOption_isRefusedInOneLine() async throws {
        try await Command.inDirectory { command in
            let words = ["--listen", "127.0.0.1:18443", "--host", "a.example", "--certificate"]
            let missing = try await command.run(["web"] + words + ["none.pem", "--key", "none.pem"])
            #expect(missing.errorLines.count == 1 && missing.exitCode != 0, "\(missing)")
            #expect(missing.errors.contains("cannot use the certificate") && missing.errors.contains("(ENOENT)"))
            try Data("no PEM".utf8).write(to: URL(fileURLWithPath: command.path("work/text.pem")))
            let text = try await command.run(["web"] + words + ["text.pem", "--key", "text.pem"])
            #expect(text.errorLines.count == 1 && text.errors.contains("no certificate in PEM format"), "\(text)")
            for refused in [missing, text] { #expect(!refused.errors.contains("failedTo")) }
            let unknown = try await command.run("web", "--prot", "1")
            #expect(unknown.exitCode == 64 && unknown.errorLines.count == 1, "\(unknown)")
            #expect(unknown.errors.hasPrefix("recorder: ") && unknown.errors.contains("recorder web"))
            for words in [["--metrics-from", "lab"], ["--metrics-from", "192.0.2.7"]] {
                let wrong = try await command.run(["web"] + words)
                #expect(wrong.exitCode == 64 && wrong.errors.contains("--metrics-from"), "\(wrong)")
            }
            for address in ["127.0.0.1:+18443", "127.0.0.1:-1", "127.0.0.1:"] {
                let wrong = try await command.run(
                    "web", "--listen", address, "--host", "a.example", "--certificate", "c.pem", "--key", "k.pem")
                #expect(wrong.exitCode == 64 && wrong.errors.contains("--listen: invalid address"), "\(wrong)")
            }
            let noToken = try await command.run("web", "--metrics-token", "/nowhere/token")
            #expect(noToken.exitCode != 0 && noToken.errors.contains("cannot use the token in /nowhere/token"))
            let nowhere = try await command.run("web", "--socket", "/nowhere/web.socket")
            #expect(nowhere.errorLines.count == 1, "\(nowhere)")
            #expect(nowhere.errors.contains("its directory does not exist"), "\(nowhere)")
        }
    }

    @Test func secondServer_onTheSameSocket_isRefused() async throws {
        try await Command.inDirectory { command in
            let words = ["web", "--socket", command.path("s"), "--state", command.path("state")]
            let first = try command.start(words)
            #expect(eventually { first.output.hasPrefix("Serving at ") || !first.isRunning })
            let second = try await command.run(words)
            #expect(second.exitCode == 75 && second.errors.contains("another `recorder web` is listening"), "\(second)")
            #expect(FileManager.default.fileExists(atPath: command.path("s")) && first.isRunning)
            first.send(SIGTERM)
            _ = try await first.result()
        }
    }

    @Test(arguments: [
        "archive run", "archive status", "archive resume", "archive plan", "mirror", "mirror repair", "key", "key new",
        "config check", "config show",
    ])
    func help_ofANestedCommand_showsItsOwnExamples(words: String) async throws {
        try await Command.inDirectory { command in
            let help = try await command.run(words.split(separator: " ").map(String.init) + ["--help"])
            let examples = help.output.components(separatedBy: "EXAMPLES:\n").last ?? ""
            #expect(help.exitCode == 0 && help.output.contains("EXAMPLES:"))
            #expect(examples.split(separator: "\n").allSatisfy { ($0 + " ").hasPrefix("  recorder \(words) ") })
        }
    }
}

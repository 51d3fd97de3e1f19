import Foundation
import Testing

/// The JSON report of a command that failed.
@Suite(.timeLimit(.minutes(10))) struct FailureReportTests {
    private struct Report: Decodable {
        struct Details: Decodable {
            let code: String
            let exitCode: Int32
            let message: String
        }

        let error: Details
    }

    @Test(arguments: [
        ("status front --json", 1, "failed", "front is not recording"),
        ("stop --json", 1, "failed", "nothing is recording"),
        ("reload --json", 1, "failed", "nothing is recording"),
        ("info missing.mov --json", 66, "noInput", "/work/missing.mov"),
        ("info there.mov --json", 65, "badData", "/work/there.mov"),
        ("start --size huge --json", 64, "usage", "--size"),
        ("start --json --camera test --microphone none --output missing/a.mov", 73, "cannotCreate", "/work/missing"),
        ("start --json --foreground --camera test --microphone none -o missing/a.mov", 73, "cannotCreate", "missing"),
        ("strat --json", 64, "usage", "start"),
        ("reencode missing.mov --json", 66, "noInput", "/work/missing.mov"),
        ("waveform missing.mov --json", 66, "noInput", "/work/missing.mov"),
        ("config show --config missing.yaml --json", 78, "configuration", "/work/missing.yaml"),
    ])
    func jsonOption_failure_printsAnObjectOnStandardError(
        words: String, exitCode: Int32, code: String, mentions: String
    ) async throws {
        try await Command.inDirectory { command in
            try Data("not a movie".utf8).write(to: URL(fileURLWithPath: command.path("work/there.mov")))
            let result = try await command.run(words.split(separator: " ").map(String.init))
            #expect(result.exitCode == exitCode)
            #expect(result.output.isEmpty)
            let line = try #require(result.errorLines.last)
            let report = try JSONDecoder().decode(Report.self, from: Data(line.utf8)).error
            #expect(report.code == code && report.exitCode == exitCode)
            #expect(report.message.contains(mentions), "\(report.message)")
            #expect(!report.message.contains("\n") && !report.message.hasPrefix("recorder: "))
        }
    }
}

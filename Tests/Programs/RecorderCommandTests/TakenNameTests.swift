import Foundation
import Glibc
import TestSupport
import Testing

/// File names that several processes want, or that one process wants twice.
@Suite(.serialized, .timeLimit(.minutes(10))) struct TakenNameTests {
    private func arguments(_ name: String, _ more: [String]) -> [String] {
        ["run", name, "--camera", "test", "--microphone", "none", "--size", "320x240", "--frame-rate", "25"] + more
    }

    @Test func run_severalProcessesWithOnePattern_recordToTheEnd() async throws {
        try await Command.inDirectory { command in
            let rules = [
                "--output", "shared-%H.mov", "--segment", "2s", "--align", "--duration", "5s", "--key-frame-interval",
                "1s",
            ]
            let running = try ["a", "b", "c", "d"].map { try command.start(arguments($0, rules)) }
            var results: [Command.Result] = []
            for process in running { results.append(try await process.result()) }
            for result in results { #expect(result.exitCode == 0, "\(result.errors)") }
            let names = command.files(in: "work")
            #expect(names.count >= 8 && !names.contains { $0.contains("recording") })
            let frames = try names.reduce(0) { count, name in
                let probe = try Probe(command.path("work/" + name), decodes: true)
                #expect(probe.complaints.isEmpty, "\(name): \(probe.complaints)")
                return count + (probe.video?.frames ?? 0)
            }
            let account = try VideoAccount(results)
            #expect(account.isKept(in: frames, of: 4 * 125), "\(frames) \(account)")
        }
    }

    @Test func run_fixedNameAfterACrash_addsANumber() async throws {
        try await Command.inDirectory { command in
            let fixed = ["--output", "svc.mov"]
            let first = try command.start(arguments("svc", fixed))
            try await waitUntil { first.errors.contains("test camera") && !command.files(in: "work").isEmpty }
            let growing = command.path("work/svc.recording.mov")
            try await waitUntil { (try? Data(contentsOf: URL(fileURLWithPath: growing)).count) ?? 0 > 10_000 }
            first.send(SIGKILL)
            _ = try await first.result()
            for count in 2...3 {
                let again = try await command.start(arguments("svc", fixed + ["--duration", "1s"])).result()
                #expect(again.exitCode == 0, "\(again.errors)")
                #expect(command.files(in: "work").count == count)
            }
            #expect(command.files(in: "work") == ["svc-2.mov", "svc-3.mov", "svc.mov"])
            let refused = try await command.run("start", "svc", "--camera", "test", "--output", "svc.mov")
            #expect(refused.exitCode == 73)
        }
    }
}

import Foundation
import TestSupport
import Testing

/// Programs that are started with closed standard descriptors, as some supervisors do.
@Suite(.serialized, .timeLimit(.minutes(10))) struct StandardDescriptorTests {
    @Test(arguments: ["<&- >&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
    func start_standardDescriptorsClosed_recordsToTheEnd(closed: String) async throws {
        try await Command.inDirectory { command in
            let words = [
                "start", "s", "--camera", "test", "--microphone", "test", "--size", "160x120", "--duration", "1s",
                "--foreground", "-o", "out.mov",
            ]
            let result = try await command.start(
                program: "/bin/sh", ["-c", "exec \"$0\" \"$@\" \(closed)", command.executablePath] + words
            ).result()
            #expect(result.exitCode == 0, "\(result.errors)")
            try #require(command.files(in: "work") == ["out.mov"])
            let probe = try Probe(command.path("work/out.mov"), decodes: true)
            #expect(probe.complaints.isEmpty, "\(probe.complaints)")
            #expect(abs(probe.format.seconds - 1) < 0.1, "\(probe.format.seconds) s")
        }
    }

    @Test func webUserList_standardDescriptorsClosed_succeeds() async throws {
        try await Command.inDirectory { command in
            let web = Command.executable.deletingLastPathComponent().appendingPathComponent("recorder-web").path
            let result = try await command.start(
                program: "/bin/sh", ["-c", "exec \"$0\" user list <&- 2>&-", web]
            ).result()
            #expect(result.exitCode == 0)
        }
    }
}

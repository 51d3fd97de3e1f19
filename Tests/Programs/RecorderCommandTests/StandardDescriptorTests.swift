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

    @Test(arguments: ["config show", "--version", "start --help"])
    func output_diskFull_exitsWithTheError(words: String) async throws {
        try await Command.inDirectory { command in
            let result = try await command.start(
                program: "/bin/sh", ["-c", "exec \"$0\" \(words) >/dev/full", command.executablePath]
            ).result()
            #expect(result.exitCode == 74, "\(result.errors)")
            #expect(result.errors.contains("cannot write to standard output") && result.errors.contains("ENOSPC"))
        }
    }

    /// Some parents give their children the non-blocking end of a pipe.
    @Test func output_nonBlockingPipe_isComplete() throws {
        let script = """
            import fcntl, os, subprocess, sys
            words = [sys.argv[1], "start", "--help-hidden"]
            whole = subprocess.run(words, stdout=subprocess.PIPE).stdout
            reader, writer = os.pipe()
            fcntl.fcntl(writer, 1031, 4096)  # F_SETPIPE_SZ
            os.set_blocking(writer, False)
            child = subprocess.Popen(words, stdout=writer)
            os.close(writer)
            part = b""
            while data := os.read(reader, 512): part += data
            print(len(whole) > 4096, part == whole, child.wait())
            """
        let result = try TestSupport.Command.run("python3", "-c", script, Command.executable.path)
        #expect(result.text == "True True 0\n", "\(result.text)\(result.errors)")
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

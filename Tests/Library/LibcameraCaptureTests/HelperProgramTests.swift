import Glibc
import RealTime
import TestSupport
import Testing

@testable import LibcameraCapture

@Suite struct HelperProgramTests {
    /// Starts a program, and returns its process ID.
    private func start(_ words: [String]) throws -> Int32 {
        var process: pid_t = 0
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        let code = posix_spawn(&process, words[0], nil, nil, &arguments, nil)
        try #require(code == 0)
        return process
    }

    @Test func end_programThatRuns_isKilled() throws {
        let program = HelperProgram(process: try start(["/bin/sleep", "1000"]))
        #expect(program.end() == .signal(SIGKILL))
    }

    @Test func end_programThatEnded_hasItsStatus() throws {
        let process = try start(["/bin/sh", "-c", "exit 3"])
        // Waits for the end, and leaves the status.
        var facts = siginfo_t()
        let code = waitid(P_PID, id_t(process), &facts, WEXITED | WNOWAIT)
        try #require(code == 0)
        #expect(HelperProgram(process: process).end() == .status(3))
    }

    @Test func end_programThatIsStopped_isKilled() throws {
        let process = try start(["/bin/sleep", "1000"])
        kill(process, SIGSTOP)
        // Waits for the stop, and leaves the status.
        var facts = siginfo_t()
        let code = waitid(P_PID, id_t(process), &facts, WSTOPPED | WNOWAIT)
        try #require(code == 0)
        #expect(HelperProgram(process: process).end() == .signal(SIGKILL))
    }

    @Test func end_programThatTheKernelKeeps_isLeftToAThread() {
        let isReaped = Locked(false)
        // No process has this number.
        let program = HelperProgram(process: .max, patience: 5_000_000) { _, waits in
            guard waits else { return nil }
            isReaped.withLock { $0 = true }
            return .signal(SIGKILL)
        }
        #expect(program.end() == .unknown)
        #expect(eventually { isReaped.withLock { $0 } })
    }

    @Test func end_unknownProcess_isUnknown() {
        // No process has this number.
        #expect(HelperProgram(process: .max).end() == .unknown)
    }
}

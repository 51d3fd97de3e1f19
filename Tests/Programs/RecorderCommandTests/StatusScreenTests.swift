import Foundation
import Glibc
import RecorderStorage
import TestSupport
import Testing

/// `status --watch` on a terminal: it uses the alternate screen, and always restores the normal one.
@Suite(.serialized, .timeLimit(.minutes(10))) struct StatusScreenTests {
    private static let enter = "\u{1B}[?1049h"
    private static let leave = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    private func watched(_ steps: [Terminal.Step], _ command: Command) async throws -> Terminal {
        // Waiting for a program blocks a thread that the served recording needs.
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        try Terminal.run(steps, [command.executablePath, "status", "--watch"], in: command)
                    })
            }
        }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT]) func statusWatch_signal_restoresTheTerminal(number: Int32)
        async throws
    {
        try await Command.inDirectory { command in
            let front = ServedRecording(RecordingStatus(name: "front", state: .recording))
            try await ServedRecording.serve(front, in: command) {
                let screen = try await watched([.await("front  recording"), .signal(number)], command)
                #expect(screen.failed == nil && screen.status == 128 + number, "\(screen)")
                #expect(screen.shown.hasPrefix(Self.enter) && screen.shown.hasSuffix(Self.leave))
            }
        }
    }

    @Test func statusWatch_noRecordingYet_waitsAndEndsWithTheLast() async throws {
        try await Command.inDirectory { command in
            let waits = command.path("waits")
            async let watching = watched(
                [.await("nothing is recording yet"), .tell(waits), .await("front  recording")], command)
            try await waitUntil { FileManager.default.fileExists(atPath: waits) }
            let front = ServedRecording(RecordingStatus(name: "front", state: .recording))
            try await ServedRecording.serve(front, in: command) {
                // The second request comes after the first status was shown.
                try await waitUntil { front.looks > 1 }
            }
            let screen = try await watching
            #expect(screen.failed == nil && screen.status == 0, "\(screen)")
            // The last status stays visible.
            #expect(screen.shown.contains(Self.leave + "front  recording"))
        }
    }

    @Test func statusWatch_suspended_restoresTheTerminalUntilResumed() async throws {
        try await Command.inDirectory { command in
            let front = ServedRecording(RecordingStatus(name: "front", state: .recording))
            try await ServedRecording.serve(front, in: command) {
                let screen = try await watched(
                    [
                        .await("front  recording"), .signal(SIGTSTP), .await(Self.leave), .signal(SIGCONT),
                        .await("front  recording"), .signal(SIGTERM),
                    ], command)
                #expect(screen.failed == nil && screen.status == 128 + SIGTERM, "\(screen)")
                #expect(screen.shown.split(separator: Self.enter).count == 2)
            }
        }
    }
}

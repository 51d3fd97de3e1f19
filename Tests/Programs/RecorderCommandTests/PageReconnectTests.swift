import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

/// The page of `recorder web` in real browsers, while its server and a recorder are killed.
@Suite(.serialized, .timeLimit(.minutes(10))) struct PageReconnectTests {
    /// The result of Tests/Judges/page_reconnect.py.
    private struct Sight: Decodable {
        struct Absence: Decodable {
            let said: String
            let seconds: Double
        }

        let server: Absence
        let recorder: Absence
        let isLoggedIn: Bool
        let timeline: Bool
        let errors: [String]
    }

    @Test(arguments: ["chromium", "firefox"])
    func page_serverOrRecorderKilled_reconnects(browser: String) async throws {
        try await Command.inDirectory { command in
            try await PageVisitor.add(to: command)
            let recorder = try await Self.recorder(command)
            let port = try PageVisitor.freePort()
            let (gone, away) = (command.path("gone"), command.path("away"))
            try await PageVisitor.serving(command, port: port) { web, address in
                let words = [browser, address, "left", "--server", "\(web.processID)", "--recorder", "\(recorder)"]
                let isJudged = Locked(false)
                let seen = Task {
                    defer { isJudged.withLock { $0 = true } }
                    return try await PageVisitor.judge(
                        command, "page_reconnect.py", words + ["--gone", gone, "--away", away] + PageVisitor.words)
                        as Sight
                }
                // A judge that failed reports the reason.
                func wait(until condition: () -> Bool) async throws {
                    try await waitUntil { condition() || isJudged.withLock { $0 } }
                    if !condition() { _ = try await seen.value }
                }
                // Neither starts again before the page has reported its absence.
                try await wait { !web.isRunning && FileManager.default.fileExists(atPath: gone) }
                try await PageVisitor.serving(command, port: port) { _, _ in
                    try await wait { FileManager.default.fileExists(atPath: away) }
                    _ = try await Self.recorder(command)
                    let sight = try await seen.value
                    #expect(sight.server.said.hasPrefix("reconnecting"))
                    #expect(sight.isLoggedIn && sight.timeline)
                    #expect(["died", "notRunning", "unreachable"].contains(sight.recorder.said))
                    #expect(sight.errors.isEmpty, "\(sight.errors)")
                }
            }
        }
    }

    /// - Returns: the process ID of the recorder.
    private static func recorder(_ command: Command) async throws -> Int32 {
        let start = try await command.run(
            "start", "left", "--camera", "test", "--microphone", "test", "--size", "320x240")
        #expect(start.exitCode == 0, "\(start.errors)")
        let match = try #require((start.output + start.errors).firstMatch(of: /pid (\d+)/))
        return try #require(Int32(match.1))
    }
}

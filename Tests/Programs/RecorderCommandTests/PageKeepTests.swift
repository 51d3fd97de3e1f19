import Foundation
import TestSupport
import Testing

/// Keeping recordings on the page in real browsers: by button and key, as an operator and as a viewer.
@Suite(.serialized, .timeLimit(.minutes(10))) struct PageKeepTests {
    /// The result of Tests/Judges/page_keep.py.
    private struct Sight: Decodable {
        struct Viewer: Decodable {
            let buttons: Int
            let status: Int
        }

        let finished: String
        let growing: String
        /// The kept files after each step, as they are on the disk.
        let kept: [String: [String]]
        let words: [String: String]
        /// The kept files after each step, as the viewer's page shows them.
        let seen: [String: [String]]
        let focused: Bool
        let plays: Bool
        let repeated: [String]
        let viewer: Viewer
        let errors: [String]
    }

    /// The result of `recorder list --json`.
    private struct Listed: Decodable {
        struct Recording: Decodable {
            let file: String
            let kept: Bool
        }

        let recordings: [Recording]
    }

    @Test(arguments: ["chromium", "firefox"])
    func page_keepByButtonAndKey_keepsOnDiskForOperatorsOnly(browser: String) async throws {
        try await Command.inDirectory { command in
            try await PageVisitor.add(to: command)
            try await PageVisitor.add(to: command, "ben", role: "viewer")
            let start = try await command.run(
                "start", "front", "--camera", "test", "--microphone", "none", "--size", "320x240")
            #expect(start.exitCode == 0, "\(start.errors)")
            try await recorded(4, by: "front", command)
            let split = try await command.run("split", "front")
            #expect(split.exitCode == 0, "\(split.errors)")
            try await PageVisitor.serving(command) { _, address in
                let sight: Sight = try await PageVisitor.judge(
                    command, "page_keep.py",
                    [browser, address, "front", "--directory", command.directory, "--viewer", "ben"]
                        + PageVisitor.words, within: 280)
                let (finished, growing) = ([sight.finished], [sight.growing])
                let both = (finished + growing).sorted()
                let steps = [
                    "card": finished, "playing": [], "key": growing, "button": growing, "timeline": both,
                    "released": growing, "viewer": growing,
                ]
                #expect(sight.kept == steps)
                #expect(sight.words["card"] == "Stop keeping" && sight.words["playing"] == "Keep")
                #expect(sight.words["timeline"] == "Stop keeping" && sight.words["released"] == "Keep")
                #expect(sight.seen["card"] == finished && sight.seen["playing"] == [])
                #expect(sight.seen["key"] == growing)
                #expect(sight.seen["timeline"] == finished && sight.seen["released"] == [])
                #expect(sight.focused && sight.plays)
                #expect(sight.repeated == both, "a key that is held down has changed it")
                #expect(sight.viewer.buttons == 0 && sight.viewer.status == 403)
                #expect(sight.errors.isEmpty, "\(sight.errors)")
                // Also once it is finalized.
                let stop = try await command.run("stop", "front")
                #expect(stop.exitCode == 0, "\(stop.errors)")
                let list = try await command.run("list", "--json")
                let listed = try JSONDecoder().decode(Listed.self, from: Data(list.output.utf8)).recordings
                let kept = listed.filter(\.kept).map { URL(fileURLWithPath: $0.file).lastPathComponent }
                #expect(kept == growing && listed.count == 2, "\(list.output)")
            }
        }
    }

    /// Waits until the recorder has recorded this many seconds.
    private func recorded(_ seconds: Double, by name: String, _ command: Command) async throws {
        var duration = 0.0
        while duration < seconds {
            let status = try await command.run("status", name, "--json")
            try #require(status.exitCode == 0, "\(status.errors)")
            let object = try JSONSerialization.jsonObject(with: Data(status.output.utf8)) as? [String: Any]
            duration = object?["duration"] as? Double ?? 0
        }
    }
}

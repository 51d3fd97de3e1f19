import Foundation
import MediaTypes
import TestSupport
import Testing

/// The page's timeline in real browsers: finding, playing and exporting recordings.
@Suite(.serialized, .timeLimit(.minutes(10))) struct PageTimelineTests {
    /// The result of Tests/Judges/page_timeline.py.
    private struct Sight: Decodable {
        struct Rules: Decodable {
            let tried: Int
            let broken: [String]
        }

        struct Row: Decodable {
            let spans: Int
            let growing: Int
            let marks: [String]
            let isDrawn: Bool
        }

        struct Still: Decodable {
            let width: Int
            let spoken: String
        }

        struct Player: Decodable {
            let name: String
            let moment: Double?
            let recording: String?
            let isGrowing: Bool
        }

        struct Cut: Decodable {
            let from: Double
            let to: Double
        }

        /// True for each element that was visible, with many rows.
        let scrolled: [String: [String: Bool]]
        let rules: Rules
        let rows: [String: Row]
        let still: Still
        let border: Double
        let played: [[Player]]
        /// The time of each look, in seconds.
        let looked: [Double]
        let cut: Cut
        let address: String
        let foreign: [String]
        let nameless: [String]
        let wide: [String]
        let weight: Int
        let errors: [String]
    }

    @Test(arguments: ["chromium", "firefox"])
    func timeline_inABrowser_findsPlaysAndExportsRecordings(browser: String) async throws {
        try await Command.inDirectory { command in
            try await PageVisitor.add(to: command)
            let start = try await command.run(
                "start", "left", "right", "--camera", "test", "--microphone", "test", "--size", "320x240")
            #expect(start.exitCode == 0, "\(start.errors)")
            // Two finished files, and one that is recorded as long as the browser needs.
            for length in [4.0, 8] {
                try await recorded(length, by: ["left", "right"], command)
                let split = try await command.run("split", "left", "right")
                #expect(split.exitCode == 0, "\(split.errors)")
            }
            try await PageVisitor.serving(command) { _, address in
                let file = command.path("cut.mov")
                let sight: Sight = try await PageVisitor.judge(
                    command, "page_timeline.py", [browser, address, "left", "right", "--cut", file] + PageVisitor.words)
                #expect(sight.rules.broken == [] && sight.rules.tried > 1000)
                #expect(sight.rows.count == 2 && sight.rows["left"]?.marks == ["Seen"])
                #expect(sight.still.width > 100 && !sight.still.spoken.isEmpty)
                try judge(sight.played, at: sight.looked, border: sight.border)
                #expect(sight.scrolled.count == 2)
                for (size, seen) in sight.scrolled {
                    #expect(seen.count == 5 && seen.values.allSatisfy { $0 }, "\(size): \(seen)")
                }
                #expect(sight.address.contains("at=") && sight.address.contains("recorders=left"))
                let faults = sight.foreign + sight.nameless + sight.wide + sight.errors
                #expect(faults.isEmpty, "\(faults)")
                #expect((1...250_000).contains(sight.weight))
                try await judge(file, of: sight.cut, command)
            }
        }
    }

    /// Waits until each recorder has recorded this many seconds.
    private func recorded(_ seconds: Double, by names: [String], _ command: Command) async throws {
        for name in names {
            var duration = 0.0
            // The limit exceeds what the slowest machine needs; the suite's own limit ends the test otherwise.
            while duration < seconds {
                let status = try await command.run("status", name, "--json")
                try #require(status.exitCode == 0, "\(status.errors)")
                let object = try JSONSerialization.jsonObject(with: Data(status.output.utf8)) as? [String: Any]
                duration = object?["duration"] as? Double ?? 0
            }
        }
    }

    /// Expects both players to continue across the border of two files, at the same time in both. Their progress
    /// between two looks depends on the load of the machine.
    private func judge(_ looks: [[Sight.Player]], at times: [Double], border: Double) throws {
        let both = zip(looks, times).compactMap { look, time -> (left: Double, right: Double, time: Double)? in
            guard look.count == 2, let left = look[0].moment, let right = look[1].moment else { return nil }
            return (left, right, time)
        }
        #expect(both.count >= 10)
        let apart = both.map { abs($0.left - $0.right) }.sorted()
        #expect(apart[apart.count / 2] < 0.1, "they are apart by up to \(apart.suffix(3)) s")
        let lefts = both.map(\.left)
        for (one, next) in zip(both, both.dropFirst()) {
            let (moved, passed) = (next.left - one.left, next.time - one.time)
            #expect(moved >= 0 && moved < 2 * passed + 0.5, "it moved by \(moved) s in \(passed) s: \(lefts)")
        }
        #expect(try #require(lefts.first) < border && #require(lefts.last) > border + 1)
        for index in 0...1 {
            let recordings = looks.filter { $0.count == 2 }.map { $0[index] }
            #expect(Set(recordings.compactMap(\.recording)).count >= 2)
            #expect(recordings.contains { $0.isGrowing }, "nothing of what is still being recorded was played")
        }
    }

    private func judge(_ file: String, of cut: Sight.Cut, _ command: Command) async throws {
        let wanted = cut.to - cut.from
        let info = try await command.run("info", file)
        #expect(info.exitCode == 0, "\(info.output)\(info.errors)")
        let probe = try TestSupport.Command.run(
            "ffprobe", "-v", "error", "-show_entries", "stream=codec_type,duration", "-of", "csv=p=0", file)
        #expect(probe.errors.isEmpty, "\(probe.errors)")
        for kind in ["video", "audio"] {
            let line = try #require(probe.text.split(separator: "\n").first { $0.hasPrefix(kind) })
            let duration = try #require(line.split(separator: ",").last.flatMap { Double($0) })
            // One frame or audio packet more or less is allowed at each end.
            #expect(abs(duration - wanted) < 0.08, "\(kind) is \(duration) s long, not \(wanted)")
        }
        let decoded = try TestSupport.Command.run(
            "ffmpeg", "-v", "error", "-xerror", "-i", file, "-f", "null", "-")
        #expect(decoded.status == 0 && decoded.errors.isEmpty, "\(decoded.errors)")
    }
}

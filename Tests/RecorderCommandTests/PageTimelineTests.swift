import Foundation
import MediaTypes
import TestSupport
import Testing

/// The page's time line, as real browsers show it: what is found there, played from there, and taken away.
@Suite(.serialized, .timeLimit(.minutes(5))) struct PageTimelineTests {
    /// What Tests/Judges/page_timeline.py saw.
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

        let rules: Rules
        let rows: [String: Row]
        let still: Still
        let border: Double
        let played: [[Player]]
        let cut: Cut
        let address: String
        let foreign: [String]
        let nameless: [String]
        let wide: [String]
        let weight: Int
        let errors: [String]
    }

    @Test(arguments: ["chromium", "firefox"])
    func whatWasRecordedIsFoundPlayedAndTakenAway(browser: String) async throws {
        try await Command.inDirectory { command in
            try await PageVisitor.add(to: command)
            let start = try await command.run(
                "start", "left", "right", "--camera", "test", "--microphone", "test", "--size", "320x240",
                "--segment", "6s")
            #expect(start.exitCode == 0, "\(start.errors)")
            try await PageVisitor.serving(command) { _, address in
                let file = command.path("cut.mov")
                let sight: Sight = try await PageVisitor.judge(
                    command, "page_timeline.py", [browser, address, "left", "right", "--cut", file] + PageVisitor.words)
                #expect(sight.rules.broken.isEmpty && sight.rules.tried > 1000)
                #expect(sight.rows.count == 2 && sight.rows["left"]?.marks == ["Seen"])
                #expect(sight.still.width > 100 && !sight.still.spoken.isEmpty)
                try judge(sight.played, border: sight.border)
                #expect(sight.address.contains("at=") && sight.address.contains("recorders=left"))
                let faults = sight.foreign + sight.nameless + sight.wide + sight.errors
                #expect(faults.isEmpty, "\(faults)")
                #expect((1...200_000).contains(sight.weight))
                try await judge(file, of: sight.cut, command)
            }
        }
    }

    /// Time goes on across the border of two files, in both, and both are at the same moment.
    private func judge(_ looks: [[Sight.Player]], border: Double) throws {
        let both = looks.compactMap { look -> (Double, Double)? in
            guard look.count == 2, let left = look[0].moment, let right = look[1].moment else { return nil }
            return (left, right)
        }
        #expect(both.count >= 10)
        let apart = both.map { abs($0 - $1) }.sorted()
        #expect(try #require(apart.last) < 0.1, "they are apart by up to \(apart.suffix(3)) s")
        let lefts = both.map(\.0)
        #expect(zip(lefts, lefts.dropFirst()).allSatisfy { $1 >= $0 && $1 - $0 < 1 }, "\(lefts)")
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
            // A picture, or a packet of sound, more or less at each end.
            #expect(abs(duration - wanted) < 0.08, "\(kind) is \(duration) s long, not \(wanted)")
        }
        let decoded = try TestSupport.Command.run(
            "ffmpeg", "-v", "error", "-xerror", "-i", file, "-f", "null", "-")
        #expect(decoded.status == 0 && decoded.errors.isEmpty, "\(decoded.errors)")
    }
}

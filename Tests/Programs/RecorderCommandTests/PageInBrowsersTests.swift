import Foundation
import MediaTypes
import TestSupport
import Testing

/// The page of `recorder web`, as real browsers show it and as users use it.
@Suite(.serialized, .timeLimit(.minutes(10))) struct PageInBrowsersTests {
    /// The result of Tests/Judges/page.py.
    private struct Sight: Decodable {
        struct Frame: Decodable {
            let width: Int
            let advanced: Double
            let took: Double
            let delay: Double?
            let muted: Bool
        }

        struct Recording: Decodable {
            let still: Int
            let playedTo: Double
        }

        struct KeptUp: Decodable {
            let changes: Int
            let left: Double
            let skipped: Double
            let hourChanges: Int
            let later: Double
        }

        struct Fit: Decodable {
            let tried: Int
            let video: Double
            let scrolled: Double
            let hidden: [String]
        }

        let videos: [String: Frame]
        let large: Frame
        let rested: Bool
        let fitted: [String: Fit]
        let acknowledged: Bool
        let recording: Recording
        let keptUp: KeptUp
        let said: String
        let foreign: [String]
        let nameless: [String]
        let wide: [String]
        let weight: Int
        let errors: [String]
    }

    @Test(arguments: ["chromium", "firefox"])
    func page_inABrowser_showsAndControlsEveryRecorder(browser: String) async throws {
        try await Command.inDirectory { command in
            let start = try await command.run(
                "start", "left", "right", "--camera", "test", "--microphone", "test", "--size", "320x240")
            #expect(start.exitCode == 0, "\(start.errors)")
            try await dying(command)
            let web = try command.start(["web", "--open", "--state", command.path("state")])
            try await waitUntil { web.output.contains("/open?") }
            let address = try #require(web.output.split(whereSeparator: \.isWhitespace).last)
            let sight = try Self.sight(
                by: browser, ["\(address)", "left", "right", "--mark", "right", "--dead", "dying"])
            for (name, video) in sight.videos.merging(["large": sight.large], uniquingKeysWith: { $1 }) {
                #expect(video.width == 320)
                // It plays in real time, or a little faster to reduce its lag.
                let pace = video.advanced / video.took
                #expect((0.8...1.2).contains(pace), "\(name) plays at \(pace) times real time")
                let delay = try #require(video.delay, "\(name) reports no delay")
                #expect(delay < 1.5, "\(name)")
            }
            #expect(!sight.large.muted)
            #expect(sight.rested && sight.acknowledged)
            #expect(sight.fitted.count == 2)
            for (size, fit) in sight.fitted {
                #expect(fit.hidden.isEmpty && fit.tried >= 8 && fit.scrolled == 0, "\(size): \(fit)")
                #expect(fit.video > 400, "\(size): \(fit)")
            }
            // Playback is fast until the lag is small, and then runs in real time: constant changes gain nothing.
            #expect(sight.keptUp.changes == 2 && (0.1...0.16).contains(sight.keptUp.left), "\(sight.keptUp)")
            #expect((2.9...3.1).contains(sight.keptUp.skipped), "\(sight.keptUp)")
            // After an hour with drifting clocks it is less than a frame later, and the rate hardly ever changed for
            // that.
            #expect(sight.keptUp.later < 0.033 && sight.keptUp.hourChanges < 30, "\(sight.keptUp)")
            #expect(sight.recording.still > 100 && sight.recording.playedTo > 0.5)
            #expect(sight.said.hasPrefix("Marked “Seen” at 0:"))
            let faults = sight.foreign + sight.nameless + sight.wide + sight.errors
            #expect(faults.isEmpty, "\(faults)")
            #expect((1...250_000).contains(sight.weight))
            web.send(SIGTERM)
            let end = try await web.result()
            #expect(end.exitCode == 0, "\(end.errors)")
            let stop = try await command.run("stop", "right", "--json")
            let file = try #require(JSONDecoder().decode(Stopped.self, from: Data(stop.output.utf8)).file)
            let info = try await command.run("info", file)
            #expect(info.output.contains("Seen"))
        }
    }

    /// A recorder that was killed, and left a file from which a still can be made.
    private func dying(_ command: Command) async throws {
        let start = try await command.run("start", "dying", "--camera", "test", "--size", "160x120", "-o", "dying.mov")
        try #require(start.exitCode == 0, "\(start.errors)")
        let file = URL(fileURLWithPath: command.path("work/dying.recording.mov"))
        try await waitUntil { ((try? Data(contentsOf: file)) ?? Data()).split(separator: Data("moof".utf8)).count > 3 }
        let lock = try String(contentsOfFile: command.path("run/recorder/dying.lock"), encoding: .utf8)
        let process = try #require(Int32(lock.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(kill(process, SIGKILL) == 0)
    }

    private struct Stopped: Decodable { let file: String? }

    private static func sight(by browser: String, _ words: [String]) throws -> Sight {
        let judge = try PythonJudge.run("page.py", [browser] + words)
        guard judge.status == 0 else {
            throw TestSupport.Command.Failure(description: "page.py: \(judge.text)\(judge.errors)")
        }
        return try JSONDecoder().decode(Sight.self, from: judge.output)
    }
}

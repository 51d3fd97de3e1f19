import Foundation
import Glibc
import TestSupport
import Testing

/// Rule 3 of the design: `kill -9` costs at most 1.5 s at the defaults, wherever it strikes.
///
/// RECORDER_KILLS says how many recordings are killed; `scripts/soak kills` asks for 200.
@Suite(.serialized, .timeLimit(.minutes(30))) struct KilledRecordingTests {
    private static let kills = ProcessInfo.processInfo.environment["RECORDER_KILLS"].flatMap { Int($0) } ?? 8
    private static let sideBySide = 4
    private static let frameRate = 30.0

    /// What became of one recording.
    private struct Fate: CustomStringConvertible {
        var number: Int
        var delay: Double
        var whileFinishing: Bool
        /// Seconds that are not in the movie although they had passed.
        var loss: Double
        var problem: String?

        var description: String {
            "no. \(number) after \(delay) s\(whileFinishing ? " while finishing" : ""): lost \(loss) s, \(problem ?? "fine")"
        }
    }

    @Test func aRecordingKilledAtAnyMomentRepairsAndLosesAtMostOneAndAHalfSeconds() async throws {
        var fates: [Fate] = []
        var next = 0
        while next < Self.kills {
            let batch = next..<min(Self.kills, next + Self.sideBySide)
            next = batch.upperBound
            try await withThrowingTaskGroup(of: Fate.self) { group in
                for number in batch { group.addTask { try await kill(number) } }
                for try await fate in group { fates.append(fate) }
            }
        }
        for fate in fates { #expect(fate.problem == nil && fate.loss <= 1.5, "\(fate)") }
        let losses = fates.map(\.loss).sorted()
        print("killed \(fates.count): lost \(losses[losses.count / 2]) s in the median, \(losses.last ?? 0) s at most")
    }

    private func kill(_ number: Int) async throws -> Fate {
        let whileFinishing = number % 2 == 1
        // The recording is asked to end, and killed while it does; or killed in the middle.
        let delay = Double.random(in: 0...3.5)
        var fate = Fate(number: number, delay: delay, whileFinishing: whileFinishing, loss: 0)
        try await Command.inDirectory { command in
            let running = try command.start([
                "start", "--foreground", "--output", "a.mov", "--camera", "test", "--microphone", "test", "--size",
                "160x120", "--frame-rate", "30",
            ])
            try await waitUntil { running.output.hasPrefix("recording") || !running.isRunning }
            // Not a wait for anything: the moment of the kill is what the test draws by lot, here and below.
            try await Task.sleep(for: .seconds(delay))
            let end = Date()
            if whileFinishing {
                running.send(SIGINT)
                try await Task.sleep(for: .milliseconds(Double.random(in: 0...120)))
            }
            running.send(SIGKILL)
            let died = whileFinishing ? end : Date()
            _ = try await running.result()
            if command.files(in: "work") == ["a.recording.mov"] {
                let repair = try await command.run("repair", "a.recording.mov")
                guard repair.exitCode == 0 else {
                    fate.problem = repair.errors
                    return
                }
            }
            guard command.files(in: "work") == ["a.mov"] else {
                fate.problem = "left \(command.files(in: "work"))"
                return
            }
            let probe = try Probe(command.path("work/a.mov"), decodes: true)
            if !probe.complaints.isEmpty {
                fate.problem = probe.complaints
                return
            }
            guard let began = secondsOfTheDay(probe) else {
                fate.problem = "no timecode"
                return
            }
            let passed = died.timeIntervalSince1970.truncatingRemainder(dividingBy: 86_400) - began
            fate.loss = (passed < -43_200 ? passed + 86_400 : passed) - probe.format.seconds
        }
        return fate
    }

    /// When the recording began by the wall clock, which its timecode track tells to the frame. Rounded down, so that a
    /// loss is never made smaller by it.
    private func secondsOfTheDay(_ probe: Probe) -> Double? {
        guard let text = probe.streams.compactMap({ $0.tags?["timecode"] }).first else { return nil }
        let parts = text.split(separator: ":").compactMap { Double($0) }
        guard parts.count == 4 else { return nil }
        return parts[0] * 3600 + parts[1] * 60 + parts[2] + parts[3] / Self.frameRate
    }
}

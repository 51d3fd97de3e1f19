import Foundation
import Glibc
import TestSupport
import Testing

/// What a recording may cost for each frame while it runs, in pieces of memory, in locks and in system calls, thread by thread
/// (`docs/decisions/budget.md`). `scripts/allocations --stacks --calls` shows who spends it.
///
/// Numbers, not times: a slow machine changes nothing but that a wake-up more or less is needed. A stretch in which a thread
/// makes up for an earlier one counts too much, so that the best of a few stretches decides; a regression is in each.
@Suite(.serialized, .timeLimit(.minutes(5))) struct BudgetTests {
    private static let options = [
        "run", "budget", "--camera", "test", "--microphone", "test", "--size", "320x180", "--frame-rate", "30",
        "--preset",
        "ultrafast", "--output", "budget.mov",
    ]
    private static let frameRate = 30.0
    /// Seconds until every queue and pool has grown, and those of one stretch.
    private static let warmUp = 4.0
    private static let stretch = 5.0

    /// Allocations a frame. A block of sound comes 1.67 times a frame, a packet of AAC 1.56 times.
    private static let allocations: [String: Double] = {
        #if DEBUG
            // Without the optimizer closures and generic values are on the heap: what is reached, and a few in a hundred.
            [
                "test camera": 195, "test microphone": 25, "video-encode": 23, "audio-encode": 57, "movie-file": 66,
            ]
        #else
            [
                "test camera": 1.2, "test microphone": 2.2, "video-encode": 1.5, "audio-encode": 9,
                "movie-file": 0.4,
            ]
        #endif
    }()

    /// Locks of ours that a picture takes from its camera to the queue of its file, with those that give its memory back.
    private static let pictureLocks = 14.0

    /// System calls a frame.
    private static let systemCalls = [
        "test camera": 2.3, "test microphone": 2.4, "audio-encode": 1.2, "movie-file": 0.4,
    ]

    @Test func aFrameAllocatesAndLocksNoMoreThanItsBudget() async throws {
        let place = try TemporaryDirectory()
        let count = try AllocationCount(in: place)
        try await Command.inDirectory { command in
            let recorder = try command.start(Self.options + ["--duration", "30s"], environment: count.environment)
            try await waitUntil { FileManager.default.fileExists(atPath: command.path("work/budget.recording.mov")) }
            // Not a wait for anything: the stretches that are measured.
            try await Task.sleep(for: .seconds(Self.warmUp))
            var excess = ["nothing was measured"]
            var locks = Double.infinity
            for _ in 0..<3 where !excess.isEmpty || locks > Self.pictureLocks {
                let (before, begin) = (try count.read(), ContinuousClock.now)
                try await Task.sleep(for: .seconds(Self.stretch))
                let (after, frames) = (
                    try count.read(), (ContinuousClock.now - begin) / .seconds(1) * Self.frameRate
                )
                let spent = after.mapValues { Double($0.allocations) / frames }
                    .merging(before.mapValues { -Double($0.allocations) / frames }, uniquingKeysWith: +)
                excess = Self.excess(spent, over: Self.allocations)
                locks = ["test camera", "video-encode"].reduce(0) { sum, name in
                    sum + Double((after[name]?.locks ?? .max / 4) - (before[name]?.locks ?? 0)) / frames
                }
            }
            #expect(excess.isEmpty, "allocations a frame: \(excess)")
            #expect(locks <= Self.pictureLocks, "locks a picture: \(locks)")
            recorder.send(SIGINT)
            let result = try await recorder.result()
            #expect(result.exitCode == 0, "\(result.errors)")
        }
    }

    @Test func aFrameMakesNoMoreSystemCallsThanItsBudget() async throws {
        var excesses: [[String]] = []
        while excesses.count < 3, excesses.last != [] { excesses.append(try await excessOfSystemCalls()) }
        #expect(excesses.last == [], "system calls a frame: \(excesses)")
    }

    /// What one run of one stretch makes too many.
    private func excessOfSystemCalls() async throws -> [String] {
        var excess: [String] = []
        try await Command.inDirectory { command in
            let log = command.path("calls")
            let end = Self.warmUp + Self.stretch
            let result = try TestSupport.Command.run(
                [
                    "env", "-C", command.path("work"), "HOME=\(command.path("home"))",
                    "XDG_RUNTIME_DIR=\(command.path("run"))", "strace", "-f", "-Y", "-ttt", "-s", "0", "-o", log,
                    command.executablePath,
                ] + Self.options + ["--duration", "\(Int(end) + 1)s"])
            #expect(result.status == 0, "\(result.errors)")
            let count = SystemCallCount(log: try String(contentsOfFile: log, encoding: .utf8))
            let spent = count.counts(from: Self.warmUp, to: end)
                .mapValues { Double($0) / (Self.stretch * Self.frameRate) }
            excess = Self.excess(spent, over: Self.systemCalls)
        }
        return excess
    }

    /// Where more was spent than is allowed, or where nobody measured anything.
    private static func excess(_ spent: [String: Double], over budget: [String: Double]) -> [String] {
        budget.sorted { $0.key < $1.key }.compactMap { name, allowed in
            guard let spent = spent[name] else { return "\(name): no such thread" }
            return spent <= allowed ? nil : "\(name): \(spent), allowed \(allowed)"
        }
    }
}

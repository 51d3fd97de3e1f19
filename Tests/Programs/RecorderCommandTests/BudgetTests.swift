import Foundation
import Glibc
import TestSupport
import Testing

/// The cost of each frame of a running recording: allocations, locks and system calls per thread
/// (`docs/design/decisions/budget.md`). `scripts/allocations --stacks --calls` shows the callers.
///
/// The limits are counts, not times: a slow machine only needs a wake-up more or less. A thread that catches up during
/// a measurement costs too much, so the best of a few measurements decides. A regression shows in each.
@Suite(.serialized, .timeLimit(.minutes(10))) struct BudgetTests {
    private static let options = [
        "run", "budget", "--camera", "test", "--microphone", "test", "--size", "320x180", "--frame-rate", "30",
        "--preset",
        "ultrafast", "--output", "budget.mov",
    ]
    private static let frameRate = 30.0
    /// Seconds until every queue and pool has grown, and seconds of one measurement.
    private static let warmUp = 4.0
    private static let period = 5.0

    /// Allocations per frame. There are 1.67 audio blocks and 1.56 AAC packets per frame.
    private static let allocations: [String: Double] = {
        #if DEBUG
            // Without the optimizer, closures and generic values are on the heap. These are the measured values plus a
            // few percent.
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

    /// The recorder's own locks per frame, from the camera to the file's queue, including the release of the memory.
    private static let frameLocks = 14.0

    /// System calls per frame.
    private static let systemCalls = [
        "test camera": 2.3, "test microphone": 2.4, "audio-encode": 1.2, "movie-file": 0.4,
    ]

    @Test func frameAllocationsAndLocks_stayWithinTheBudget() async throws {
        let place = try TemporaryDirectory()
        let count = try AllocationCount(in: place)
        try await Command.inDirectory { command in
            let recorder = try command.start(Self.options + ["--duration", "30s"], environment: count.environment)
            try await waitUntil { FileManager.default.fileExists(atPath: command.path("work/budget.recording.mov")) }
            // This sleep does not wait for an event: it is the measured time.
            try await Task.sleep(for: .seconds(Self.warmUp))
            var excess = ["nothing was measured"]
            var locks = Double.infinity
            for _ in 0..<3 where !excess.isEmpty || locks > Self.frameLocks {
                let (before, begin) = (try count.read(), ContinuousClock.now)
                try await Task.sleep(for: .seconds(Self.period))
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
            #expect(locks <= Self.frameLocks, "locks a frame: \(locks)")
            recorder.send(SIGINT)
            let result = try await recorder.result()
            #expect(result.exitCode == 0, "\(result.errors)")
        }
    }

    @Test func frameSystemCalls_stayWithinTheBudget() async throws {
        var excesses: [[String]] = []
        while excesses.count < 3, excesses.last != [] { excesses.append(try await excessOfSystemCalls()) }
        #expect(excesses.last == [], "system calls a frame: \(excesses)")
    }

    /// Returns the excess system calls of one run and one measurement.
    private func excessOfSystemCalls() async throws -> [String] {
        var excess: [String] = []
        try await Command.inDirectory { command in
            let log = command.path("calls")
            let end = Self.warmUp + Self.period
            let result = try TestSupport.Command.run(
                [
                    "env", "-C", command.path("work"), "HOME=\(command.path("home"))",
                    "XDG_RUNTIME_DIR=\(command.path("run"))", "strace", "-f", "-Y", "-ttt", "-s", "0", "-o", log,
                    command.executablePath,
                ] + Self.options + ["--duration", "\(Int(end) + 1)s"])
            #expect(result.status == 0, "\(result.errors)")
            let count = SystemCallCount(log: try String(contentsOfFile: log, encoding: .utf8))
            let spent = count.counts(from: Self.warmUp, to: end)
                .mapValues { Double($0) / (Self.period * Self.frameRate) }
            excess = Self.excess(spent, over: Self.systemCalls)
        }
        return excess
    }

    /// Returns the threads that exceed their budget, or that were not measured.
    private static func excess(_ spent: [String: Double], over budget: [String: Double]) -> [String] {
        budget.sorted { $0.key < $1.key }.compactMap { name, allowed in
            guard let spent = spent[name] else { return "\(name): no such thread" }
            return spent <= allowed ? nil : "\(name): \(spent), allowed \(allowed)"
        }
    }
}

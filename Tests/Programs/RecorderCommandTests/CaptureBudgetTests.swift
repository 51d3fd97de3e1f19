import Foundation
import Glibc
import TestSupport
import Testing

/// The allocations of each frame on its way from a camera to the delegate of a data output, by Apple's names
/// (`docs/design/decisions/budget.md`).
@Suite(.serialized, .timeLimit(.minutes(5))) struct CaptureBudgetTests {
    private static let frameRate = 30.0
    /// Seconds until every queue and pool has grown, and seconds of one measurement.
    private static let warmUp = 4.0
    private static let period = 5.0

    /// Of all threads: one object of the camera's frame, and four of the sample buffer, which are itself and its lock.
    private static let allocations: Double = {
        #if DEBUG
            // Without the optimizer, closures and generic values are on the heap.
            400
        #else
            5.4
        #endif
    }()

    private var program: String {
        Command.executable.deletingLastPathComponent().appendingPathComponent("CaptureWithWriter").path
    }

    @Test func dataOutput_frame_allocatesItsBufferAlone() async throws {
        let place = try TemporaryDirectory()
        let count = try AllocationCount(in: place)
        try await Command.inDirectory { command in
            let running = try command.start(
                program: program, ["--camera", "test", "--size", "320x240", "--frame-rate", "30"],
                environment: count.environment)
            defer { if running.isRunning { running.send(SIGKILL) } }
            // These sleeps do not wait for an event: they are the measured time.
            try await Task.sleep(for: .seconds(Self.warmUp))
            var spent = Double.infinity
            for _ in 0..<3 where spent > Self.allocations {
                let (before, begin) = (try total(count), ContinuousClock.now)
                try await Task.sleep(for: .seconds(Self.period))
                let frames = (ContinuousClock.now - begin) / .seconds(1) * Self.frameRate
                spent = Double(try total(count) - before) / frames
            }
            #expect(spent <= Self.allocations, "allocations a frame: \(spent)")
            #expect(spent >= 1, "nothing was measured")
            running.send(SIGINT)
            let result = try await running.result()
            #expect(result.exitCode == 0, "\(result.errors)")
        }
    }

    private func total(_ count: AllocationCount) throws -> Int {
        try count.read().values.reduce(0) { $0 + $1.allocations }
    }
}

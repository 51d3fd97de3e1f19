import AssetIO
import CommandInterface
import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// A recording on two disks: it continues while one of them is writable, and reports both.
@Suite(.timeLimit(.minutes(10))) struct MirroredSessionTests {
    private func bench(_ directory: String, reserve: Int64 = 1_000_000) throws -> CaptureBench {
        for name in ["a", "b"] {
            try FileManager.default.createDirectory(atPath: "\(directory)/\(name)", withIntermediateDirectories: true)
        }
        return CaptureBench(directory) {
            $0.output = directory + "/a/take.mov"
            $0.mirror = directory + "/b"
            $0.diskReserve = reserve
        }
    }

    private static let lost = MediaError(errno: EIO, "cannot write /b/take.recording.mov")

    @Test func mirror_diskFailsAndReturns_isReported() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try bench(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2000)
            let file = bench.files.all[0]
            file.setStatus(0, .init(condition: .complete, path: directory + "/a/take.mov"))
            file.setStatus(1, .init(condition: .lost, path: directory + "/b/take.mov", missing: 7, error: Self.lost))
            try await bench.play { bench.process.status.error?.contains("EIO") == true }
            let mirror = try #require(bench.process.status.mirror)
            #expect(mirror.map(\.state) == ["complete", "lost"] && mirror[1].missing == 7)
            #expect(bench.process.status.text.contains("mirrored file \(directory)/b/take.mov: unavailable"))
            #expect(bench.process.status.state == .recording)
            file.setStatus(1, .init(condition: .complete, path: directory + "/b/take.mov"))
            try await bench.play { bench.process.status.error == nil }
            #expect(bench.process.status.text.contains("on two disks"))
            let outcome = try await bench.end(run, at: bench.now)
            #expect(outcome.failure == nil && outcome.status.isExact)
        }
    }

    @Test func reserve_oneDiskThenBoth_onlyBothEndTheRecording() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try bench(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2000)
            let file = bench.files.all[0]
            let (a, b) = (directory + "/a/take.mov", directory + "/b/take.mov")
            file.setStatus(1, .init(condition: .complete, path: b))
            // Both disks report the same space here. The first mirrored file has stopped, and the second one has
            // room.
            file.setStatus(0, .init(condition: .full, path: a, error: MediaError(errno: ENOSPC, "cannot write \(a)")))
            bench.play(to: 8000)
            #expect(bench.process.status.state == .recording)
            bench.free.withLock { $0 = 999_999 }
            try await bench.play { [.stopping, .failed].contains(bench.process.status.state) }
            let outcome = try await bench.end(run, at: bench.now)
            #expect(outcome.failure?.error.code == .diskFull)
            #expect(bench.files.all[0].isWhole)
        }
    }

    @Test func mirror_incompleteAtTheEnd_isAWarning() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try bench(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2000)
            let file = bench.files.all[0]
            file.setStatus(1, .init(condition: .lost, path: directory + "/b/take.mov", error: Self.lost))
            file.setStatus(0, .init(condition: .whole, path: directory + "/a/take.mov"))
            let outcome = try await bench.end(run, at: bench.now)
            #expect(outcome.failure == nil)
            #expect(outcome.status.warning?.contains("\(directory)/b/take.mov lacks") == true, "\(outcome.status)")
        }
    }

    /// A service continues, because it has no user to ask. A command reports the error.
    @Test(arguments: [true, false]) func mirror_diskMissing_startsAServiceButNotACommand(isService: Bool)
        async throws
    {
        try await withTemporaryDirectory { directory in
            try FileManager.default.createDirectory(atPath: directory + "/a", withIntermediateDirectories: true)
            let bench = CaptureBench(directory) {
                $0.output = directory + "/a/take.mov"
                $0.mirror = directory + "/missing"
                $0.numbersTakenNames = isService
            }
            let run = bench.run()
            guard isService else {
                let outcome = await run.value
                #expect(outcome.failure?.error.description.contains(directory + "/missing") == true)
                return
            }
            try await bench.ready()
            bench.play(to: 2000)
            let outcome = try await bench.end(run, at: bench.now)
            #expect(outcome.failure == nil && bench.files.all.count == 1)
        }
    }
}

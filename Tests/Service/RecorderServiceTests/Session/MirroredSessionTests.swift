import AssetIO
import CommandInterface
import Foundation
import Glibc
import MediaTypes
import MovieFile
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

    /// Fails both disks of a file, the second one first.
    private func loseBoth(_ file: FakeFile, _ directory: String, _ error: MediaError, unwritten: Int) {
        for index in [1, 0] {
            let path = "\(directory)/\(["a", "b"][index])/take.mov"
            file.setStatus(index, .init(condition: .lost, path: path, error: error))
        }
        file.cutShort(error, unwritten: unwritten)
    }

    /// Leaves both mirrored files of an unfinished recording, as disks that fail and return do.
    private func putUnfinished(in directory: String) throws {
        let storage = MemoryStorage()
        let writer = Recording.short.makeWriter(storage)
        for fragment in Recording.short.fragments { try writer.writeFragment(fragment) }
        for name in ["a", "b"] {
            try Data(storage.bytes).write(to: URL(fileURLWithPath: "\(directory)/\(name)/take.recording.mov"))
        }
    }

    @Test(arguments: [EIO, EROFS, ESTALE]) func mirror_bothDisksFail_recordingContinuesInTheNextFile(
        number: Int32
    ) async throws {
        try await withTemporaryDirectory { directory in
            let bench = try bench(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 3500)
            try putUnfinished(in: directory)
            let error = MediaError(errno: number, "cannot write \(directory)/a/take.recording.mov")
            loseBoth(bench.files.all[0], directory, error, unwritten: 40)
            try await bench.play { bench.files.all.count >= 2 }
            #expect(bench.process.status.state == .recording)
            #expect(bench.log.contains("the other disk is unavailable too"))
            bench.play(to: 6000)
            let outcome = try await bench.end(run, at: 6000)
            #expect(outcome.failure == nil && outcome.status.isExact)
            #expect(["a", "b"].allSatisfy { FileManager.default.fileExists(atPath: "\(directory)/\($0)/take.mov") })
            #expect(outcome.status.video?.dropped.inAll == 0 && outcome.status.audio?.dropped.inAll == 0)
            let shown = bench.files.all.flatMap(\.shown)
            #expect(shown == [Int64](stride(from: 1000, to: 6000, by: 40)))
        }
    }

    /// The list of mirrored recordings completes it while this recorder runs.
    @Test func mirror_pairThatIsGivenUp_isNotOpenAnyMore() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try bench(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 3500)
            let error = MediaError(errno: EIO, "cannot write \(directory)/a/take.recording.mov")
            loseBoth(bench.files.all[0], directory, error, unwritten: 40)
            // Neither file exists.
            try await bench.play { bench.log.contains("cannot finalize \(directory)/a/take.recording.mov") }
            #expect(await bench.process.session.progress.mirrored[1] == nil)
            _ = try await bench.end(run, at: bench.now)
        }
    }

    @Test func mirror_bothDisksStayAway_stopEndsTheRecordingAndCountsEachSample() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try bench(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 3500)
            let error = MediaError(errno: ESTALE, "cannot write \(directory)/a/take.recording.mov")
            loseBoth(bench.files.all[0], directory, error, unwritten: 40)
            try await bench.play { bench.files.all.count >= 2 }
            bench.stop(at: bench.now)
            let last = bench.files.all[1]
            last.cutShort(error, unwritten: last.packets.count)
            let outcome = try await bench.end(run, at: bench.now)
            #expect(outcome.failure?.error.underlying == .errno(ESTALE))
            #expect(outcome.status.isExact)
        }
    }

    @Test func mirror_isTheOwnDirectory_failsBeforeDevicesOpen() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory) {
                $0.output = directory + "/take.mov"
                $0.mirror = directory
                $0.numbersTakenNames = true
            }
            let outcome = await bench.run().value
            #expect(outcome.failure?.error.code == .invalidSettings && bench.files.all.isEmpty)
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

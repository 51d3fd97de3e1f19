import CommandInterface
import FakeDevices
import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// A process that waits, records, and waits again.
@Suite(.timeLimit(.minutes(10))) struct ArmedRecordingTests {
    private func armed(_ directory: String, preRoll: Int? = nil, camera: Bool = true) -> CaptureBench {
        CaptureBench(directory, camera: camera) {
            $0.isArmed = true
            $0.preRoll = preRoll.map { milliseconds($0) }
        }
    }

    @Test func armed_recordAndStop_recordsAndWaitsAgain() async throws {
        try await withTemporaryDirectory { directory in
            let bench = armed(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 3000)
            try await waitUntil { bench.started.withLock { $0.count } == 1 }
            #expect(bench.started.withLock { $0 } == [nil])
            #expect(bench.process.status.state == .armed)
            #expect(bench.files.all.isEmpty)
            for round in 0..<2 {
                let begin = bench.now
                let status = try await bench.record()
                #expect(status.state == .recording)
                bench.play(to: bench.now + 2000)
                let end = bench.now
                let stopped = try await bench.stopRecording()
                #expect(stopped.state == .armed)
                #expect(stopped.error == nil && stopped.file == directory + "/take.mov")
                let file = bench.files.all[round]
                // The file starts at the time of the request, wherever the keyframes are.
                #expect(
                    file.opening.start >= milliseconds(begin - 40) && file.opening.start <= milliseconds(begin + 200))
                #expect(file.end.map { abs(($0 - milliseconds(end)).seconds) <= 0.2 } == true)
                #expect(stopped.isExact)
                let length = file.end.map { $0 - file.opening.start } ?? .zero
                #expect(stopped.video.map { abs(Double($0.written) - length.seconds * 25) <= 1 } == true)
                try await waitUntil { bench.process.status.state == .armed }
                bench.play(to: bench.now + 500)
            }
            #expect(bench.files.all.count == 2)
            let outcome = try await bench.end(run, at: bench.now)
            #expect(outcome.failure == nil)
            #expect(bench.camera?.source.isStopped == true)
        }
    }

    @Test func armed_directoryMissing_failsBeforeDevicesOpen() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory) {
                $0.isArmed = true
                $0.output = directory + "/missing/take.mov"
            }
            let outcome = await bench.run().value
            #expect(outcome.failure.map(ExitCode.init(for:)) == .cannotCreate)
            #expect(outcome.failure?.description.contains("/missing") == true)
            #expect(bench.camera?.sources.isEmpty == true && bench.started.withLock { $0.isEmpty })
        }
    }

    @Test func record_preRoll_precedesTheRecording() async throws {
        try await withTemporaryDirectory { directory in
            let bench = armed(directory, preRoll: 2000)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 8000)
            #expect(bench.process.status.preRoll.map { $0.duration >= 2 && $0.duration < 3.3 && $0.bytes > 0 } == true)
            let status = try await bench.record()
            #expect(status.error == nil)
            let file = bench.files.all[0]
            #expect(file.opening.start == milliseconds(6000))
            bench.play(to: bench.now + 1000)
            let stopped = try await bench.stopRecording()
            #expect(stopped.isExact)
            let end = try #require(file.end)
            // Each frame from two seconds before is shown once. Frames that only decoding needs are not shown.
            let start = file.opening.start.ticks(in: 1000)
            #expect(file.shown == Array(stride(from: (start + 39) / 40 * 40, to: end.ticks(in: 1000), by: 40)))
            #expect(stopped.video?.written == Int64(file.shown.count))
            #expect(stopped.duration.map { abs($0 - (end - file.opening.start).seconds) < 0.001 } == true)
            _ = try await bench.end(run, at: bench.now)
        }
    }

    @Test func commands_stateDoesNotAllowThem_areRefused() async throws {
        try await withTemporaryDirectory { directory in
            let bench = armed(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2000)
            for error in [
                await MediaError.of { try await bench.process.stop(disarms: false) },
                await MediaError.of { try bench.process.pause() }, await MediaError.of { try bench.process.resume() },
                await MediaError.of { try await bench.process.split() },
                await MediaError.of { try bench.process.mark("here") },
                await MediaError.of { try await bench.process.save(last: nil, to: nil) },
                await MediaError.of { try await bench.process.reload() },
            ] {
                #expect(error?.code == .invalidState)
            }
            _ = try await bench.record()
            let second = await MediaError.of { try await bench.process.record() }
            #expect(second?.code == .invalidState && second?.wayOut != nil)
            _ = try await bench.end(run, at: bench.now)
            #expect(await MediaError.of { try await bench.process.record() }?.code == .invalidState)
        }
    }

    @Test func record_notArmed_isRefused() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2000)
            #expect(await MediaError.of { try await bench.process.record() }?.code == .invalidState)
            _ = try await bench.end(run, at: 2000)
        }
    }

    @Test func quit_whileArmed_leavesNoFile() async throws {
        try await withTemporaryDirectory { directory in
            let bench = armed(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2000)
            bench.process.requestStop()
            let outcome = await run.value
            #expect(outcome.failure == nil && outcome.status.file == nil)
            #expect(bench.files.all.isEmpty)
            #expect(bench.camera?.source.isStopped == true && bench.microphone?.source.isStopped == true)
        }
    }

    @Test func stop_disarms_endsRecordingAndProcess() async throws {
        try await withTemporaryDirectory { directory in
            let bench = armed(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2000)
            _ = try await bench.record()
            bench.play(to: 4000)
            let status = try await bench.stopRecording(disarms: true)
            #expect(status.file == directory + "/take.mov" && status.isExact)
            #expect(await run.value.failure == nil)
        }
    }

    @Test func stop_disarmsWithoutRecording_reportsNoFile() async throws {
        try await withTemporaryDirectory { directory in
            let bench = armed(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2000)
            _ = try await bench.record()
            bench.play(to: 4000)
            #expect(try await bench.stopRecording().file == directory + "/take.mov")
            let status = try await bench.stopRecording(disarms: true)
            #expect(status.file == nil && status.segments.isEmpty && status.duration == nil && status.bytes == nil)
            #expect(await run.value.failure == nil)
        }
    }

    @Test func save_whileRecording_doesNotAffectTheRecording() async throws {
        try await withTemporaryDirectory { directory in
            let bench = armed(directory, preRoll: 3000)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 6000)
            let before = try await bench.process.save(last: milliseconds(1000), to: directory + "/before.mov")
            #expect(before.file == directory + "/before.mov")
            #expect(before.duration.map { abs($0 - 1) < 0.05 } == true)
            _ = try await bench.record()
            bench.play(to: bench.now + 2000)
            let asked = bench.now
            let during = try await bench.process.save(last: nil, to: directory + "/during.mov")
            #expect(during.duration.map { $0 >= 3 && $0 < 4.3 } == true)
            bench.play(to: asked + 1000)
            let status = try await bench.stopRecording()
            // Saving does not affect the recording.
            #expect(status.isExact && status.segments.count == 1)
            let saved = try #require(bench.files.all.first { $0.path == directory + "/during.mov" })
            #expect(saved.shown == Array(stride(from: saved.shown.first ?? 0, to: Int64(asked), by: 40)))
            #expect(await MediaError.of { try await bench.process.save(last: .zero, to: "/nowhere/x.mov") } != nil)
            _ = try await bench.end(run, at: bench.now)
        }
    }

    @Test func snapshot_waitsForANewFrame() async throws {
        try await withTemporaryDirectory { directory in
            let bench = armed(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2000)
            let data = try await bench.playing(Task { try await bench.process.snapshot(.jpeg) })
            #expect(Array(data.bytes.prefix(2)) == [0xFF, 0xD8])
            // The snapshot waits at most three seconds for a camera that delivers nothing.
            #expect(await MediaError.of { try await bench.process.snapshot(.jpeg) }?.code == .deviceLost)
            _ = try await bench.end(run, at: bench.now)
        }
    }

    @Test func snapshot_noCamera_isRefused() async throws {
        try await withTemporaryDirectory { directory in
            let bench = armed(directory, camera: false)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2000)
            #expect(await MediaError.of { try await bench.process.snapshot(.jpeg) }?.code == .invalidState)
            _ = try await bench.end(run, at: bench.now)
        }
    }

    // MARK: Rest

    /// The number of frames that each video encoder has received.
    private func encoded(_ bench: CaptureBench) -> [Int64] { bench.encoders.made(.video).map(\.ledger.captured) }

    /// Plays until no packets are needed and the next encoder is open.
    private func rest(_ bench: CaptureBench) async throws {
        let count = bench.encoders.made(.video).count
        try await bench.play { bench.encoders.made(.video).count > count }
    }

    @Test func armed_withoutPreRoll_encodesOnlyWhileItRecords() async throws {
        try await withTemporaryDirectory { directory in
            let bench = armed(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 3000)
            try await waitUntil { bench.started.withLock { $0.count } == 1 }
            for round in 1...2 {
                try await rest(bench)
                #expect(bench.encoders.made(.video)[round - 1].isOver)
                bench.play(to: bench.now + 60_000)
                #expect(encoded(bench).count == round + 1 && encoded(bench)[round] == 0)
                #expect(bench.encoders.made(.audio).map(\.ledger.captured).last == 0)
                // Snapshots and levels need no packets, and still work.
                let data = try await bench.playing(Task { try await bench.process.snapshot(.jpeg) })
                #expect(Array(data.bytes.prefix(2)) == [0xFF, 0xD8])
                #expect(bench.process.status.state == .armed && bench.process.status.audio?.levelPeak != nil)
                #expect(encoded(bench)[round] == 0)
                let begin = bench.now
                let status = try await bench.record()
                #expect(status.state == .recording && encoded(bench)[round] > 0)
                let file = try #require(bench.files.all.last)
                #expect(bench.files.all.count == round)
                #expect(
                    file.opening.start >= milliseconds(begin - 40) && file.opening.start <= milliseconds(begin + 200))
                bench.play(to: bench.now + 2000)
                let stopped = try await bench.stopRecording()
                #expect(stopped.isExact && stopped.error == nil && stopped.video?.dropped.encoder == 0)
                let end = try #require(file.end)
                let start = file.opening.start.ticks(in: 1000)
                #expect(file.shown == Array(stride(from: (start + 39) / 40 * 40, to: end.ticks(in: 1000), by: 40)))
                #expect(file.opening.video != nil && file.opening.audio != nil)
                try await waitUntil { bench.process.status.state == .armed }
            }
            _ = try await bench.end(run, at: bench.now)
        }
    }

    @Test func armed_viewer_encodesUntilItDisconnects() async throws {
        try await withTemporaryDirectory { directory in
            let bench = armed(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 3000)
            try await waitUntil { bench.started.withLock { $0.count } == 1 }
            try await rest(bench)
            bench.play(to: bench.now + 5000)
            do {
                let (watch, formats) = try bench.process.watch(limit: 1 << 20)
                #expect(formats.count == 2)
                bench.play(to: bench.now + 1000)
                let first = try #require(await watch.watcher.next()?.first)
                #expect(first.isKeyframe && first.format.mediaType == .video)
                bench.play(to: bench.now + 60_000)
                #expect(!bench.encoders.made(.video)[1].isOver && encoded(bench)[1] > 1500)
                withExtendedLifetime(watch) {}
            }
            try await rest(bench)
            #expect(bench.encoders.made(.video)[1].isOver && encoded(bench).last == 0)
            #expect(bench.files.all.isEmpty)
            _ = try await bench.end(run, at: bench.now)
        }
    }

    @Test func armed_preRoll_encodesAllTheTime() async throws {
        try await withTemporaryDirectory { directory in
            let bench = armed(directory, preRoll: 2000)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 3000)
            try await waitUntil { bench.started.withLock { $0.count } == 1 }
            let pipeline = try #require(bench.process.session.snapshot.pipeline)
            for _ in 0..<3 {
                pipeline.rest(unless: false)
                bench.play(to: bench.now + 10_000)
            }
            #expect(encoded(bench).count == 1 && encoded(bench)[0] > 700 && !bench.encoders.made(.video)[0].isOver)
            _ = try await bench.end(run, at: bench.now)
        }
    }
}

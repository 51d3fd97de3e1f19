import AssetIO
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

/// Disks that fill up or fail, and encoders that cannot keep up.
@Suite(.timeLimit(.minutes(10))) struct RecordingDiskTests {
    @Test func reserve_reached_finalizesTheRecording() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory) { $0.diskReserve = 1_000_000 }
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2000)
            bench.free.withLock { $0 = 999_999 }
            // The recording may have ended before the state `stopping` is seen.
            try await bench.play { [.stopping, .failed].contains(bench.process.status.state) }
            let outcome = try await bench.end(run, at: bench.now)
            #expect(outcome.failure.map(ExitCode.init) == .ioError)
            #expect(outcome.failure?.error.code == .diskFull)
            #expect(bench.files.all.count == 1 && bench.files.all[0].isWhole)
            #expect(outcome.status.isExact)
        }
    }

    @Test func start_diskFull_isRefused() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory) { $0.diskReserve = 1_000_000 }
            bench.free.withLock { $0 = 1_000_000 }
            let outcome = await bench.run().value
            #expect(outcome.failure.map(ExitCode.init) == .ioError)
            #expect(bench.camera?.sources.isEmpty == true)
        }
    }

    @Test func record_diskFullWhileArmed_isRefusedAndWaits() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory) {
                $0.diskReserve = 1_000_000
                $0.isArmed = true
            }
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2000)
            bench.free.withLock { $0 = 5 }
            let error = await MediaError.of { try await bench.record() }
            #expect(error?.code == .diskFull)
            #expect(bench.process.status.state == .armed)
            bench.free.withLock { $0 = 5_000_000 }
            _ = try await bench.record()
            #expect(bench.process.status.state == .recording)
            _ = try await bench.end(run, at: bench.now)
        }
    }

    /// Creates a recorder whose disk is full until retention deletes its one recording, which is two hours old.
    private func full(_ directory: String, isArmed: Bool = false, keepFor hours: Int64) throws -> CaptureBench {
        let old = directory + "/old.mov"
        try Data(count: 100).write(to: URL(fileURLWithPath: old))
        let state = StateDirectory(environment: ["XDG_STATE_HOME": directory + "/state"])
        let retention = Retention(
            RecordingConfiguration().name, in: state, log: LogLines().logger,
            moment: { Moment(wall: 1_800_007_200, uptime: 8200, boot: "a") }, freeSpace: { _ in nil })
        try retention.catalogue.add(old, at: Moment(wall: 1_800_000_000, uptime: 1000, boot: "a"))
        return CaptureBench(directory, retention: retention) {
            $0.diskReserve = 1_000_000
            $0.isArmed = isArmed
            $0.retention = RetentionRules(age: MediaTime(value: hours * 3600, timescale: 1))
        } freeSpace: {
            OutputLocation.isThere(old) ? 1_000_000 : 5_000_000
        }
    }

    @Test(arguments: [false, true]) func start_diskFullAndFilesAreDue_deletesThem(isArmed: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let old = directory + "/old.mov"
            let bench = try full(directory, isArmed: isArmed, keepFor: 1)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2000)
            if isArmed {
                #expect(OutputLocation.isThere(old))
                _ = try await bench.record()
            }
            bench.play(to: bench.now + 2000)
            let outcome = try await bench.end(run, at: bench.now)
            #expect(outcome.failure == nil && bench.files.all.count == 1)
            #expect(!OutputLocation.isThere(old))
        }
    }

    @Test func start_diskFullAndNothingIsDue_isRefused() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try full(directory, keepFor: 3)
            let outcome = await bench.run().value
            #expect(outcome.failure?.error.code == .diskFull)
            #expect(OutputLocation.isThere(directory + "/old.mov"))
        }
    }

    @Test func disk_gettingFull_isLoggedOnce() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory) { $0.diskReserve = 1_000_000 }
            let run = bench.run()
            try await bench.ready()
            bench.free.withLock { $0 = 1_999_999 }
            let isTold = { bench.log.lines.filter { $0.contains("almost full") }.count }
            try await bench.play { isTold() == 1 }
            let then = bench.now
            try await bench.play { bench.now > then + 3000 }
            #expect(isTold() == 1)
            #expect(bench.log.facts(of: .hook(.diskLow)).first?["free"] == "1999999")
            #expect(bench.process.status.state == .recording)
            _ = try await bench.end(run, at: bench.now)
        }
    }

    @Test func retention_hangs_recordingContinuesAndEnds() async throws {
        try await withTemporaryDirectory { directory in
            let (old, moment) = (directory + "/old.mov", Moment(wall: 1_800_000_000, uptime: 1000, boot: "a"))
            try Data(count: 100).write(to: URL(fileURLWithPath: old))
            let state = StateDirectory(environment: ["XDG_STATE_HOME": directory + "/state"])
            let disk = Locked((isAsked: false, answers: false))
            defer {
                disk.withLock { $0.answers = true }
                disk.broadcast()
            }
            let retention = Retention(
                RecordingConfiguration().name, in: state, log: LogLines().logger, moment: { moment },
                freeSpace: { _ in
                    disk.withLock { $0.isAsked = true }
                    _ = disk.waiting { $0.answers ? true : nil }
                    return nil
                })
            try retention.catalogue.add(old, at: moment)
            let bench = CaptureBench(directory, retention: retention)
            let run = bench.run()
            try await bench.ready()
            try await bench.play { disk.withLock { $0.isAsked } && bench.started.withLock { $0.count } == 1 }
            for _ in 0..<2 { _ = try await bench.split() }
            #expect(bench.process.status.state == .recording)
            let outcome = try await bench.end(run, at: bench.now)
            #expect(outcome.failure == nil && outcome.status.isExact)
            #expect(bench.files.all.count == 3 && bench.files.all.allSatisfy(\.isWhole))
        }
    }

    @Test func file_writeFails_endsTheRecordingAndCountsEachSample() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory) { $0.segments.duration = milliseconds(1000) }
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 3500)
            try await waitUntil { bench.process.status.segments.count == 3 }
            bench.files.all[2].fail(MediaError(.ioFailure, "cannot write", reason: "the disk is gone"))
            bench.play(to: 3900)
            let outcome = try await bench.end(run, at: bench.now)
            #expect(outcome.failure.map(ExitCode.init) == .ioError)
            #expect(outcome.status.isExact)
            #expect(outcome.status.video.map { $0.dropped.inAll == $0.dropped.disk } == true)
            #expect(outcome.status.audio.map { $0.dropped.inAll == $0.dropped.disk } == true)
            #expect(bench.files.all.dropLast().prefix(2).allSatisfy { $0.isWhole })
        }
    }

    @Test func file_cannotBeOpened_endsTheRecording() async throws {
        try await withTemporaryDirectory { directory in
            let wall = Date(timeIntervalSince1970: 1_800_000_000)
            let bench = CaptureBench(directory, wall: wall) {
                $0.segments.duration = milliseconds(1000)
                $0.output = directory + "/%s/take.mov"
            }
            // A file has the name of the next directory.
            let taken = directory + "/\(1_800_000_002)"
            #expect(FileManager.default.createFile(atPath: taken, contents: Data()))
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 1500)
            try await waitUntil { bench.process.status.state == .recording }
            bench.play(to: 3000)
            let outcome = try await bench.end(run, at: bench.now)
            #expect(outcome.failure != nil && outcome.status.isExact)
            #expect(bench.files.all[0].isWhole)
        }
    }

    @Test func file_fallsBehind_dropsWholeGOPs() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2500)
            let file = bench.files.all[0]
            file.fallBehind(by: 65 << 20)
            bench.play(to: 3500)
            file.fallBehind(by: 0)
            bench.play(to: 6000)
            let outcome = try await bench.end(run, at: 6000)
            #expect(outcome.failure == nil && outcome.status.isExact)
            // The frames from 2520 to the keyframe at 4000.
            #expect(outcome.status.video?.dropped.disk == 37)
            #expect(!file.shown.contains(3960) && file.shown.contains(4000))
            #expect(outcome.status.audio?.dropped.inAll == 0)
        }
    }

    @Test func encoder_overloaded_isAWarningNotAFailure() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2000)
            bench.encoders.made(.video)[0].overload(true)
            try await bench.play { bench.process.status.warning?.contains("encoder") == true }
            bench.encoders.made(.video)[0].overload(false)
            let outcome = try await bench.end(run, at: bench.now)
            #expect(outcome.failure == nil && outcome.status.isExact)
            #expect(bench.log.facts(of: .lost).first?["error"] == outcome.status.warning)
            // The user who stops it learns of the overload, and that the file is complete.
            #expect(outcome.status.error == nil && outcome.status.warning != nil)
            #expect(outcome.status.video.map { $0.dropped.encoder > 0 } == true)
            #expect(bench.encoders.made(.video).count == 1)
            // The open file counts them too.
            #expect(bench.files.all[0].ledger(.video)[dropped: .encoder] == outcome.status.video?.dropped.encoder)
        }
    }

    @Test func encoder_reducedEffort_isLoggedOnce() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2000)
            let encoder = bench.encoders.made(.video)[0]
            for (step, news) in [(1, "no look-ahead"), (0, "keeps up again")] {
                encoder.work(EncodingEffort(step: step, steps: 2, summary: "no look-ahead"))
                #expect(bench.process.status.video?.effort?.step == step)
                try await bench.play { bench.log.contains(news) }
            }
            let outcome = try await bench.end(run, at: bench.now)
            #expect(outcome.failure == nil && outcome.status.warning == nil)
            #expect(bench.log.lines.count { $0.contains("wait for the encoder; effort reduced (no look-ahead") } == 1)
        }
    }

    @Test func encoder_framesThatMustBeCopied_areLoggedOnce() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2000)
            let reason = MediaError(.unsupported, "cannot import", reason: "refused", underlying: .errno(EINVAL))
            bench.encoders.made(.video)[0].copy(because: reason)
            try await bench.play { bench.log.contains("cannot import: refused (EINVAL)") }
            try await bench.play { bench.now > 5000 }
            let outcome = try await bench.end(run, at: bench.now)
            #expect(outcome.failure == nil && outcome.status.warning == nil)
            #expect(bench.log.lines.count { $0.contains("cannot import") } == 1)
        }
    }

    @Test func microphone_invalidValues_areReportedOnce() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2000)
            #expect(!bench.log.contains("invalid audio"))
            bench.encoders.made(.audio)[0].silence(3)
            try await bench.play { bench.log.contains("the microphone delivers invalid audio") }
            bench.encoders.made(.audio)[0].silence(4)
            try await bench.play { bench.now > 5000 }
            let outcome = try await bench.end(run, at: bench.now)
            #expect(outcome.failure == nil)
            #expect(outcome.status.warning?.contains("they become silence") == true)
            #expect(bench.log.lines.count { $0.contains("invalid audio") } == 1)
        }
    }

    @Test func overload_stepDown_nextFileGetsAFasterEncoder() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory) {
                $0.overload = .stepDown
                $0.segments.duration = milliseconds(10_000)
            }
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2000)
            bench.encoders.made(.video)[0].overload(true)
            try await waitUntil {
                bench.play(to: min(bench.now + 40, 4000))
                return bench.encoders.made(.video).count == 2
            }
            bench.encoders.made(.video)[0].overload(false)
            bench.play(to: 10_900)
            #expect(!bench.encoders.made(.video)[0].isOver)
            bench.play(to: 13_000)
            #expect(bench.encoders.made(.video)[0].isOver && bench.encoders.made(.video)[1].isStarted)
            #expect(bench.files.all.map { $0.opening.start } == [1000, 11_000].map { milliseconds($0) })
            let outcome = try await bench.end(run, at: 13_000)
            #expect(outcome.failure == nil && outcome.status.isExact)
            let all = bench.files.all.flatMap(\.shown)
            #expect(Set(all).count == all.count)
        }
    }

    @Test func stepDown_endsAtTheFastestPreset() {
        var configuration = RecordingConfiguration()
        configuration.video = .h264(
            preset: "veryfast", rateControl: .constantQuality(23), keyframeInterval: milliseconds(2000))
        let plan = EncoderPlan(configuration, latency: LatencyMeter())
        #expect(plan.preset == "veryfast")
        #expect(plan.stepDown() == "superfast")
        #expect(plan.stepDown() == "ultrafast")
        #expect(plan.stepDown() == nil)
        #expect(plan.preset == "ultrafast")
        configuration.video = .passthrough
        #expect(EncoderPlan(configuration, latency: LatencyMeter()).stepDown() == nil)
    }
}

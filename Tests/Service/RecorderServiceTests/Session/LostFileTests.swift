import CommandInterface
import FakeDevices
import Foundation
import Glibc
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Files that are deleted or moved while they grow, and files that cannot grow: the recording continues.
@Suite(.timeLimit(.minutes(10))) struct LostFileTests {
    private func recording(
        _ directory: String, _ configure: (inout RecordingConfiguration) -> Void = { _ in }
    ) async throws -> (JoinBench, Task<SessionOutcome, Never>) {
        let bench = JoinBench(directory, audio: .clicking, configure)
        let run = bench.run()
        try await bench.ready()
        try await bench.play { (bench.process.status.bytes ?? 0) > 0 }
        return (bench, run)
    }

    private func end(_ bench: JoinBench) async throws -> RecordingStatus {
        try await bench.playing { try await bench.process.stop(disarms: true) }
    }

    private func sizes(_ directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }

    @Test func file_deletedWhileGrowing_isReportedAndRecordingContinues() async throws {
        try await withTemporaryDirectory { directory in
            let (bench, run) = try await recording(directory)
            let before = bench.frames
            #expect(unlink(directory + "/take.recording.mov") == 0)
            try await bench.play { bench.process.status.file == directory + "/take-002.mov" }
            #expect(bench.process.status.error?.contains("deleted") == true)
            #expect(bench.log.contains("take.recording.mov: it was deleted"))
            #expect(bench.log.facts(of: .hook(.fileLost)).first?["error"]?.contains("deleted") == true)
            try await bench.play(40)
            let status = try await end(bench)
            #expect(await run.value.failure == nil)
            #expect(status.isExact, "\(JSONText.line(status))")
            #expect(status.segments.map(\.file) == [directory + "/take-002.mov"])
            #expect(try sizes(directory) == ["take-002.mov"])
            let files = try JoinedFiles(status.segments.map(\.file), status.segments.map(\.duration))
            let first = try #require(files.frames.first)
            // The frames from then on, and the kept frames of the GOP before.
            #expect(
                first <= before
                    && files.frames == Array(first..<bench.frames).prefix(files.frames.count).map { $0 })
            let captured = try #require(status.video?.captured)
            #expect(abs(Int64(first + files.frames.count) - captured) <= 1)
        }
    }

    /// The list of unfinished files is on a disk of its own, which may be full when a file begins.
    @Test func file_notListedAtItsStart_isListedWhileGrowing() async throws {
        try await withTemporaryDirectory { directory in
            let state = directory + "/state"
            try Data().write(to: URL(fileURLWithPath: state))
            let unfinished = UnfinishedRecordings(
                try RecordingName(parsing: "front"), in: StateDirectory(environment: ["XDG_STATE_HOME": state]))
            let bench = JoinBench(directory, audio: .clicking, unfinished: unfinished)
            let run = bench.run()
            try await bench.ready()
            try await bench.play { (bench.process.status.bytes ?? 0) > 0 }
            #expect(bench.log.contains("after a crash run `recorder repair`") && unfinished.files.isEmpty)
            #expect(bench.process.status.error?.contains("will not be repaired automatically") == true)
            try FileManager.default.removeItem(atPath: state)
            try await bench.play { bench.log.contains("\(directory)/take.recording.mov is listed as unfinished now") }
            #expect(unfinished.files == [directory + "/take.recording.mov"] && bench.process.status.error == nil)
            _ = try await end(bench)
            #expect(await run.value.failure == nil && unfinished.files.isEmpty)
        }
    }

    @Test func file_oneOfManyDeleted_recordingContinues() async throws {
        try await withTemporaryDirectory { directory in
            let (bench, run) = try await recording(directory) { $0.segments.duration = milliseconds(1000) }
            for _ in 0..<2 {
                let growing = try #require(bench.process.status.file).replacing(".mov", with: ".recording.mov")
                unlink(growing)
                try await bench.play(60)
            }
            let status = try await end(bench)
            #expect(await run.value.failure == nil && status.isExact)
            for file in status.segments { #expect(try Probe(file.file, decodes: true).complaints.isEmpty) }
        }
    }

    @Test func file_movedWhileGrowing_isFinalizedThereAndDropsNothing() async throws {
        try await withTemporaryDirectory { directory in
            try FileManager.default.createDirectory(atPath: directory + "/else", withIntermediateDirectories: true)
            let (bench, run) = try await recording(directory)
            #expect(rename(directory + "/take.recording.mov", directory + "/else/x.recording.mov") == 0)
            try await bench.play { bench.process.status.file == directory + "/take-002.mov" }
            #expect(bench.log.contains("moved to \(directory)/else/x.recording.mov"))
            try await bench.play(40)
            let status = try await end(bench)
            #expect(await run.value.failure == nil && status.isExact)
            #expect(status.segments.map(\.file) == [directory + "/else/x.mov", directory + "/take-002.mov"])
            let files = try JoinedFiles(status.segments.map(\.file), status.segments.map(\.duration))
            #expect(files.frames == Array(0..<files.frames.count))
            #expect(Int64(files.frames.count) == status.video?.written)
        }
    }

    @Test func directory_missing_recordingWaitsAndDropsNothing() async throws {
        try await withTemporaryDirectory { directory in
            let (here, there) = (directory + "/here", directory + "/there")
            try FileManager.default.createDirectory(atPath: here, withIntermediateDirectories: true)
            let (bench, run) = try await recording(here)
            #expect(rename(here, there) == 0)
            try await bench.play { bench.log.contains("waits in memory until the directory") }
            try await bench.play(20)
            #expect(bench.process.status.state == .recording)
            try FileManager.default.createDirectory(atPath: here, withIntermediateDirectories: true)
            try await bench.play { FileManager.default.fileExists(atPath: here + "/take-002.recording.mov") }
            let status = try await end(bench)
            #expect(await run.value.failure == nil && status.isExact)
            #expect(status.segments.map(\.file) == [there + "/take.mov", here + "/take-002.mov"])
            let files = try JoinedFiles(status.segments.map(\.file), status.segments.map(\.duration))
            #expect(files.frames == Array(0..<files.frames.count))
        }
    }

    @Test func file_onlyOneDeleted_isReportedOrReplaced() async throws {
        try await withTemporaryDirectory { directory in
            let (bench, run) = try await recording(directory)
            unlink(directory + "/take.recording.mov")
            bench.process.requestStop()
            try await bench.play {
                bench.process.status.state == .failed || bench.process.session.snapshot.run == nil
            }
            let outcome = await run.value
            // Either there was time for another file, or the outcome reports what happened to the only one.
            #expect(outcome.failure != nil || outcome.status.segments.contains { $0.file.hasSuffix("-002.mov") })
        }
    }

    @Test func file_cannotGrow_restGoesIntoTheNext() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 3500)
            let file = bench.files.all[0]
            file.cutShort(MediaError(errno: EFBIG, "cannot write take.recording.mov"), unwritten: 40)
            // Samples that arrive before the failure is noticed are not lost either.
            bench.play(to: 3700)
            try await bench.play { bench.files.all.count >= 2 }
            bench.play(to: 6000)
            let outcome = try await bench.end(run, at: 6000)
            #expect(outcome.failure == nil && outcome.status.isExact)
            #expect(outcome.status.video?.dropped.inAll == 0 && outcome.status.audio?.dropped.inAll == 0)
            let files = bench.files.all
            // The next files end in time.
            #expect(files.count >= 2)
            let shown = files.flatMap(\.shown)
            #expect(shown == Array(stride(from: 1000, to: 6000, by: 40).map(Int64.init)))
            let first = try #require(files[1].packets.first { $0.format.mediaType == .video })
            #expect(first.isKeyframe && first.presentationTime <= files[1].opening.start)
            let audio = files.flatMap(\.packets).filter { $0.format.mediaType == .audio && $0.ledgerCount > 0 }
            #expect(zip(audio, audio.dropFirst()).allSatisfy { $0.endTime == $1.presentationTime })
        }
    }

    @Test func file_nearTheLargestSize_isSplitBefore() async throws {
        try await withTemporaryDirectory { directory in
            let bench = JoinBench(directory, audio: .clicking) { _ in
            } foundations: {
                $0.largestFile = { _ in 20_000 }
            }
            let run = bench.run()
            try await bench.ready()
            try await bench.play(120)
            let status = try await end(bench)
            #expect(await run.value.failure == nil && status.isExact)
            #expect(status.segments.count >= 2)
            let files = try JoinedFiles(status.segments.map(\.file), status.segments.map(\.duration))
            #expect(files.frames == Array(0..<Int(status.video?.written ?? 0)))
        }
    }

    /// The file is full when the video has ended and the last audio is still to come. The encoder that ends first
    /// varies.
    @Test(arguments: 0..<4) func file_fullBeforeTheLastAudio_makesNoAudioOnlyFile(round: Int) async throws {
        try await withTemporaryDirectory { directory in
            let bench = JoinBench(directory, audio: .clicking) { _ in
            } foundations: {
                $0.largestFile = { _ in 1 }
            }
            let run = bench.run()
            try await bench.ready()
            try await bench.play(60)
            let status = try await end(bench)
            #expect(await run.value.failure == nil && status.isExact)
            for file in status.segments.map(\.file) {
                let video = try Probe(file).video
                #expect(video != nil, "\(file)")
            }
        }
    }

    @Test func room_keepsSpaceForTheIndex() {
        #expect(DiskSpace.room(Int64(UInt32.max)) < 3_800_000_000 && DiskSpace.room(0) == 0)
        #expect(DiskSpace.room(.max) > 0)
        #expect(DiskSpace.largestFile(at: "/nowhere/at/all") == DiskSpace.largestFile(at: "/"))
    }
}

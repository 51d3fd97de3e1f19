import Foundation
import Glibc
import Logging
import MediaTypes
import MovieFile
import RealTime
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// The list of recordings on two disks, until both files are complete.
@Suite struct MirroredRecordingsTests {
    private static let log = Logger(label: "test")

    private struct Bench {
        let directory: String
        let list: MirroredRecordings
        let recording: MirroredRecording
        let rest: Data

        init(_ directory: String) throws {
            self.directory = directory
            for name in ["a", "b"] {
                try FileManager.default.createDirectory(
                    atPath: "\(directory)/\(name)", withIntermediateDirectories: true)
            }
            list = MirroredRecordings(
                .standard, in: StateDirectory(environment: ["XDG_STATE_HOME": directory + "/state"]),
                log: Logger(label: "test"))
            recording = MirroredRecording(
                OutputLocation(path: directory + "/a/take.mov"), OutputLocation(path: directory + "/b/take.mov"))
            let storage = MemoryStorage()
            let writer = Recording.short.makeWriter(storage)
            for fragment in Recording.short.fragments { try writer.writeFragment(fragment) }
            rest = Data(storage.bytes)
        }

        func put(_ data: Data, _ name: String) throws {
            try data.write(to: URL(fileURLWithPath: "\(directory)/\(name)"))
        }
        func bytes(_ name: String) -> Data? { FileManager.default.contents(atPath: "\(directory)/\(name)") }
    }

    /// Neither file may be missing for good.
    @Test func isOnOtherDisk_eitherDiskDiffers_isTrue() throws {
        let text = #"{"first":"/a/x.mov","second":"/b/x.mov","mounts":["/a","/b"],"disks":["uuid:a",""]}"#
        let recording = try JSONDecoder().decode(MirroredRecording.self, from: Data(text.utf8))
        #expect(!recording.isOnOtherDisk { _ in "uuid:a" })
        #expect(recording.isOnOtherDisk { _ in "uuid:b" })
        #expect(!recording.isOnOtherDisk { _ in nil })
        let earlier = try JSONDecoder().decode(
            MirroredRecording.self,
            from: Data(text.replacing(#","disks":["uuid:a",""]"#, with: "").utf8))
        #expect(!earlier.isOnOtherDisk { _ in "uuid:b" })
    }

    @Test func complete_bothUnfinished_repairsBothAndForgetsThem() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            bench.list.enter(bench.recording)
            #expect(bench.list.entries == [bench.recording])
            try bench.put(bench.rest, "a/take.recording.mov")
            try bench.put(bench.rest.prefix(bench.rest.count / 2), "b/take.recording.mov")
            let whole = Locked<[String]>([])
            bench.list.complete { path, index in whole.withLock { $0.append("\(index) \(path)") } }
            #expect(whole.withLock { $0 } == ["0 \(directory)/a/take.mov", "1 \(directory)/b/take.mov"])
            #expect(bench.bytes("a/take.mov") != nil && bench.bytes("a/take.mov") == bench.bytes("b/take.mov"))
            #expect(bench.list.entries.isEmpty)
        }
    }

    @Test func complete_beingRecorded_staysOnTheList() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            bench.list.enter(bench.recording)
            try bench.put(bench.rest, "a/take.recording.mov")
            bench.list.complete(but: [bench.recording])
            #expect(bench.bytes("a/take.mov") == nil && bench.list.entries.count == 1)
            let held = try DiskFile(path: directory + "/a/take.recording.mov", mode: .update)
            bench.list.complete()
            #expect(bench.bytes("a/take.mov") == nil && bench.list.entries.count == 1)
            held.close()
            bench.list.complete()
            #expect(bench.bytes("b/take.mov") != nil && bench.list.entries.isEmpty)
        }
    }

    @Test func complete_oneDiskMissing_repairsLateAndWaitsForIt() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            // This disk is not mounted.
            let away = try JSONDecoder().decode(
                MirroredRecording.self,
                from: Data(
                    #"{"first":"\#(directory)/a/take.mov","second":"\#(directory)/gone/take.mov","mounts":["/","\#(directory)/gone"]}"#
                        .utf8))
            bench.list.enter(away)
            try bench.put(bench.rest, "a/take.recording.mov")
            bench.list.complete()
            #expect(bench.bytes("a/take.mov") == nil)
            bench.list.complete(isLate: true)
            #expect(bench.bytes("a/take.mov") != nil && bench.list.entries == [away])
            #expect(!FileManager.default.fileExists(atPath: directory + "/gone"))
        }
    }

    /// The mirror directory is missing, because its disk is not mounted. Its parent is on another disk.
    @Test func complete_mirrorDirectoryMissing_isNotCreated() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            let recording = MirroredRecording(
                OutputLocation(path: directory + "/a/take.mov", root: directory + "/a"),
                OutputLocation(path: directory + "/mount/c/day/take.mov", root: directory + "/mount/c"))
            bench.list.enter(recording)
            try bench.put(bench.rest, "a/take.recording.mov")
            for isLate in [false, true] { bench.list.complete(isLate: isLate) }
            #expect(bench.list.entries == [recording])
            #expect(bench.bytes("a/take.mov") != nil)
            #expect(!FileManager.default.fileExists(atPath: directory + "/mount"))
            #expect(throws: MediaError.self) { try recording.makeDirectories(1) }
            #expect(!FileManager.default.fileExists(atPath: directory + "/mount"))
            try FileManager.default.createDirectory(
                atPath: directory + "/mount/c", withIntermediateDirectories: true)
            bench.list.complete()
            #expect(bench.bytes("a/take.mov") == bench.bytes("mount/c/day/take.mov"))
            #expect(bench.list.entries.isEmpty)
        }
    }

    @Test func complete_onNeitherDisk_isForgotten() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            bench.list.enter(bench.recording)
            bench.list.complete()
            #expect(bench.list.entries.isEmpty)
        }
    }

    /// No file has a name of 300 bytes, so every disk reports an error for it.
    @Test func complete_filesCannotBeExamined_staysOnTheList() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            let name = String(repeating: "t", count: 300) + ".mov"
            let recording = MirroredRecording(
                OutputLocation(path: "\(directory)/a/\(name)"), OutputLocation(path: "\(directory)/b/\(name)"))
            bench.list.enter(recording)
            bench.list.complete()
            #expect(bench.list.entries == [recording])
        }
    }

    @Test func finalize_bothUnfinished_completesBoth() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            try bench.put(bench.rest.prefix(bench.rest.count / 2), "a/take.recording.mov")
            try bench.put(bench.rest, "b/take.recording.mov")
            let whole = try bench.recording.finalize(isLast: false, log: Self.log)
            #expect(whole == [0: directory + "/a/take.mov", 1: directory + "/b/take.mov"])
            #expect(bench.bytes("a/take.mov") != nil && bench.bytes("a/take.mov") == bench.bytes("b/take.mov"))
        }
    }

    /// The first disk is away. Its copy may have what the other one lacks, so the recorder waits for it until the end.
    @Test func finalize_firstDiskAway_completesTheSecondAtTheEndOnly() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            let away = try JSONDecoder().decode(
                MirroredRecording.self,
                from: Data(
                    #"{"first":"\#(directory)/gone/take.mov","second":"\#(directory)/b/take.mov","mounts":["\#(directory)/gone","/"]}"#
                        .utf8))
            try bench.put(bench.rest, "b/take.recording.mov")
            let error = #expect(throws: MediaError.self) { try away.finalize(isLast: false, log: Self.log) }
            #expect(error?.underlying == .errno(ENODEV))
            #expect(bench.bytes("b/take.mov") == nil)
            #expect(try away.finalize(isLast: true, log: Self.log) == [1: directory + "/b/take.mov"])
            #expect(!FileManager.default.fileExists(atPath: directory + "/gone"))
        }
    }

    /// A disk that was away at the start has no directory of that day.
    @Test func finalize_missingDirectory_isCreated() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            let recording = MirroredRecording(
                OutputLocation(path: directory + "/a/take.mov"),
                OutputLocation(path: directory + "/c/day/take.mov", root: directory + "/c"))
            try FileManager.default.createDirectory(atPath: directory + "/c", withIntermediateDirectories: false)
            try bench.put(bench.rest, "a/take.recording.mov")
            let whole = try recording.finalize(isLast: false, log: Self.log)
            #expect(whole == [0: directory + "/a/take.mov", 1: directory + "/c/day/take.mov"])
            #expect(bench.bytes("a/take.mov") != nil && bench.bytes("a/take.mov") == bench.bytes("c/day/take.mov"))
        }
    }

    /// An earlier attempt finalized the first file. The second one cannot be created: a file has the directory's name.
    @Test func finalize_firstIsFinalAndSecondFails_completesTheFirstAtTheEndOnly() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            let recording = MirroredRecording(
                OutputLocation(path: directory + "/a/take.mov"),
                OutputLocation(path: directory + "/file/take.mov", root: directory))
            try bench.put(Data(), "file")
            try bench.put(bench.rest, "a/take.recording.mov")
            #expect(throws: MediaError.self) { try recording.finalize(isLast: false, log: Self.log) }
            #expect(bench.bytes("a/take.mov") != nil)
            #expect(throws: MediaError.self) { try recording.finalize(isLast: false, log: Self.log) }
            #expect(try recording.finalize(isLast: true, log: Self.log) == [0: directory + "/a/take.mov"])
        }
    }

    /// Waiting does not help a damaged disk.
    @Test func finalize_oneIsNoRecording_completesTheOther() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            try bench.put(Data(repeating: 7, count: 2000), "a/take.recording.mov")
            try bench.put(bench.rest, "b/take.recording.mov")
            let whole = try bench.recording.finalize(isLast: false, log: Self.log)
            #expect(whole == [1: directory + "/b/take.mov"])
            #expect(bench.bytes("a/take.recording.mov") != nil && bench.bytes("b/take.mov") != nil)
        }
    }

    @Test func finalize_differentFiles_areBothFinalizedAndReported() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            var other = bench.rest
            for place in 6000..<6100 { other[place] ^= 0x55 }
            try bench.put(bench.rest, "a/take.recording.mov")
            try bench.put(other, "b/take.recording.mov")
            let log = LogLines()
            let whole = try bench.recording.finalize(isLast: false, log: log.logger)
            #expect(whole.count == 2)
            #expect(log.contains("each contains data that the other lacks"))
        }
    }

    @Test func finalize_oneBeingWrittenAtTheEnd_completesTheOther() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            try bench.put(bench.rest, "a/take.recording.mov")
            try bench.put(bench.rest, "b/take.recording.mov")
            let held = try DiskFile(path: directory + "/a/take.recording.mov", mode: .update)
            defer { held.close() }
            let error = #expect(throws: MediaError.self) {
                try bench.recording.finalize(isLast: false, log: Self.log)
            }
            #expect(error?.code == .busy)
            #expect(try bench.recording.finalize(isLast: true, log: Self.log) == [1: directory + "/b/take.mov"])
        }
    }

    @Test func finalize_beingWritten_isBusy() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try Bench(directory)
            try bench.put(bench.rest, "a/take.recording.mov")
            let held = try DiskFile(path: directory + "/a/take.recording.mov", mode: .update)
            defer { held.close() }
            let error = #expect(throws: MediaError.self) { try bench.recording.finalize(isLast: true, log: Self.log) }
            #expect(error?.code == .busy)
        }
    }
}

import Foundation
import MediaTypes
import MovieFile
import TestSupport
import Testing

/// Tests that two copies left by a crash are repaired from each other.
@Suite struct MirrorRepairTests {
    /// An unfinished recording on two disks.
    private struct Bench {
        let directory = try! TemporaryDirectory()
        let whole: [UInt8]
        let rest: [UInt8]

        init() throws {
            let storage = MemoryStorage()
            let writer = Recording.short.makeWriter(storage)
            for fragment in Recording.short.fragments { try writer.writeFragment(fragment) }
            rest = storage.bytes
            _ = try MovieFinisher.finish(storage)
            whole = storage.bytes
            for name in ["a", "b"] {
                try FileManager.default.createDirectory(
                    atPath: directory.path(name), withIntermediateDirectories: true)
            }
        }

        var paths: [String] { ["a/take.mov", "b/take.mov"].map(directory.path) }

        func put(_ bytes: [UInt8], _ name: String) throws {
            try Data(bytes).write(to: URL(fileURLWithPath: directory.path(name)))
        }

        func bytes(_ name: String) -> [UInt8]? {
            FileManager.default.contents(atPath: directory.path(name)).map(Array.init)
        }

        func repair() throws -> MirrorRepair.Result { try MirrorRepair.repair(paths[0], paths[1]) }

        func expectBothWhole(sourceLocation: SourceLocation = #_sourceLocation) throws {
            #expect(bytes("a/take.mov") == whole && bytes("b/take.mov") == whole, sourceLocation: sourceLocation)
            for name in ["a", "b"] {
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: directory.path(name)) == ["take.mov"],
                    sourceLocation: sourceLocation)
            }
        }
    }

    @Test func repair_twoUnfinishedFiles_completeEachOther() throws {
        let bench = try Bench()
        var (one, other) = (bench.rest, bench.rest)
        // One has a hole, from the time when its disk was away; the other's end is missing.
        one.replaceSubrange(8192..<20_480, with: [UInt8](repeating: 0, count: 12_288))
        other.removeLast(3000)
        try bench.put(one, "a/take.recording.mov")
        try bench.put(other, "b/take.recording.mov")
        #expect(try bench.repair().outcome == .completed)
        try bench.expectBothWhole()
        #expect(try bench.repair().outcome == .alike)
    }

    @Test(arguments: ["nothing", "begun", "hole", "behind its end"])
    func repair_oneMirroredFileUnfinished_completesItFromTheOther(state: String)
        throws
    {
        let bench = try Bench()
        try bench.put(bench.whole, "a/take.mov")
        switch state {
        case "begun": try bench.put(Array(bench.rest.prefix(5000)), "b/take.recording.mov")
        case "hole":
            var rest = bench.rest
            rest.replaceSubrange(4096..<8192, with: [UInt8](repeating: 0, count: 4096))
            try bench.put(rest, "b/take.recording.mov")
        case "behind its end":
            try bench.put(bench.rest + [UInt8](repeating: 0, count: 40_960), "b/take.recording.mov")
        default: break
        }
        #expect(try bench.repair().outcome == .completed)
        try bench.expectBothWhole()
    }

    /// One copy is cut, as a power cut leaves it, on either side.
    @Test func repair_oneMirroredFileTruncatedAnywhere_completesBoth() throws {
        let bench = try Bench()
        for cut in stride(from: 700, to: bench.rest.count, by: 4133) {
            try bench.put(bench.rest, "a/take.recording.mov")
            try bench.put(Array(bench.rest.prefix(cut)), "b/take.recording.mov")
            #expect(try bench.repair().outcome == .completed)
            try bench.expectBothWhole()
            for path in bench.paths { try FileManager.default.removeItem(atPath: path) }
        }
    }

    @Test func repair_mirroredFilesDiffer_finalizesEachByItself() throws {
        let bench = try Bench()
        var other = bench.rest
        for place in 6000..<6100 { other[place] ^= 0x55 }
        try bench.put(bench.rest, "a/take.recording.mov")
        try bench.put(other, "b/take.recording.mov")
        let result = try bench.repair()
        #expect(result.outcome == .different)
        #expect(bench.bytes("a/take.mov") == bench.whole)
        #expect(bench.bytes("b/take.mov")?[6000..<6100].elementsEqual(other[6000..<6100]) == true)
    }

    /// One copy was repaired by itself, without the last seconds that the other has.
    @Test func repair_unfinishedFileIsLonger_keepsBoth() throws {
        let bench = try Bench()
        let short = MemoryStorage(Array(bench.rest.prefix(bench.rest.count * 2 / 3)))
        _ = try MovieFinisher.finish(short)
        try bench.put(short.bytes, "a/take.mov")
        try bench.put(bench.rest, "b/take.recording.mov")
        #expect(try bench.repair().outcome == .different)
        #expect(bench.bytes("a/take.mov") == short.bytes)
        #expect(bench.bytes("b/take.mov") == bench.whole)
    }

    @Test func repair_otherFileOfThatName_keepsIt() throws {
        let bench = try Bench()
        let strange = [UInt8]("not a movie at all".utf8) + [UInt8](repeating: 9, count: 9000)
        try bench.put(bench.whole, "a/take.mov")
        try bench.put(strange, "b/take.mov")
        #expect(try bench.repair().outcome == .different)
        #expect(bench.bytes("b/take.mov") == strange && bench.bytes("a/take.mov") == bench.whole)
    }

    @Test func repair_mirroredFileBeingRecorded_isRefused() throws {
        let bench = try Bench()
        try bench.put(bench.whole, "a/take.mov")
        try bench.put(bench.rest, "b/take.recording.mov")
        let held = try DiskFile(path: bench.directory.path("b/take.recording.mov"), mode: .update)
        let error = #expect(throws: MediaError.self) { try bench.repair() }
        #expect(error?.code == .busy)
        held.close()
        #expect(try bench.repair().outcome == .completed)
        try bench.expectBothWhole()
    }

    @Test func repair_noMirroredFile_throwsNotFound() throws {
        let bench = try Bench()
        let error = #expect(throws: MediaError.self) { try bench.repair() }
        #expect(error?.code == .notFound)
    }
}

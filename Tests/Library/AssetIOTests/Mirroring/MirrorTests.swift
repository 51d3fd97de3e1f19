import Foundation
import Glibc
import MediaTypes
import MovieFile
import RealTime
import TestSupport
import Testing

@testable import AssetIO

/// Tests that a recording on two disks survives the loss of either.
@Suite struct MirrorTests {
    @Test func mirror_bothDisksHealthy_writesTwoEqualMovies() throws {
        let bench = try MirrorBench()
        try bench.write(bench.recording.fragments.count)
        // The first one is finished first, unless its disk lags.
        #expect(eventually { [0, 1].allSatisfy { bench.condition($0) == .complete } })
        #expect(try bench.finish() == 0)
        try bench.expectBothWhole()
        #expect(bench.told.withLock { $0 } == [[.complete, .whole], [.complete, .whole]])
    }

    @Test(arguments: [0, 1]) func mirror_diskDisconnectsAndReconnects_isComplete(lost: Int) throws {
        let bench = try MirrorBench()
        try bench.write()
        bench.disks[lost].take()
        try bench.write()
        #expect(eventually { bench.condition(lost) == .lost })
        #expect(bench.mirror.statuses[lost].error?.underlying == .errno(EIO))
        bench.disks[lost].bringBack()
        try bench.write(bench.recording.fragments.count - 2)
        #expect(eventually { bench.condition(lost) == .complete })
        _ = try bench.finish()
        try bench.expectBothWhole()
        #expect(Array(bench.told.withLock { $0[lost] }.suffix(2)) == [.complete, .whole])
    }

    @Test func mirror_diskReconnects_writesNewDataFirst() throws {
        let bench = try MirrorBench()
        try bench.write()
        bench.disks[1].take()
        try bench.write()
        #expect(eventually { bench.condition(1) == .lost })
        // The first disk is back; the other one disappears at once, before anything can be copied from it.
        bench.disks[0].take()
        bench.disks[1].bringBack()
        #expect(eventually { bench.condition(1) == .behind || bench.condition(1) == .complete })
        try bench.write(bench.recording.fragments.count - 2)
        #expect(eventually { bench.condition(0) == .lost })
        // Each has a part that the other lacks.
        bench.disks[0].bringBack()
        #expect(eventually { bench.condition(0) == .complete && bench.condition(1) == .complete })
        _ = try bench.finish()
        try bench.expectBothWhole()
    }

    @Test func mirror_diskStalls_writingContinues() throws {
        let bench = try MirrorBench(Recording(seconds: 6), limit: 1)
        try bench.write()
        #expect(eventually { bench.condition(0) == .complete })
        bench.disks[0].stall()
        try bench.write(bench.recording.fragments.count - 1)
        #expect(eventually { bench.condition(0) == .behind })
        bench.disks[0].bringBack()
        _ = try bench.finish()
        try bench.expectBothWhole()
    }

    /// Blocks that remain only in the memory of a stalled disk are written to the other one, whatever that has dropped.
    @Test func mirror_blockSkippedByBothDisks_isWrittenByTheFirstToResume() throws {
        var state = MirrorState(limit: 1)
        for index in 0...1 {
            _ = state.takeWork(index)
            state.opened(index)
        }
        func block(_ place: UInt64) -> MirrorBlock {
            var block = MirrorBlock()
            [UInt8](repeating: 7, count: 10).withUnsafeBytes { block.add($0, at: place) }
            return block
        }
        func writes(_ index: Int) -> MirrorBlock? {
            if case .write(let block) = state.takeWork(index) { block } else { nil }
        }
        state.hand(block(0))
        let first = try #require(writes(0))
        let second = try #require(writes(1))
        state.wrote(first, 0)
        // The first disk stalls with the next block. The second then has two blocks waiting, and keeps neither.
        state.hand(block(10))
        _ = try #require(writes(0))
        state.hand(block(20))
        state.wrote(second, 1)
        #expect(state.outcome(of: block(20)) == nil)
        let again = try #require(writes(1))
        #expect(again.pieces[0].offset == 20)
        state.wrote(again, 1)
        #expect((try? state.outcome(of: block(20))?.get()) != nil)
        // The block between, which it did not write, is still missing.
        #expect(!state.progress(1).isComplete && state.progress(1).missingBytes == 10)
    }

    @Test func mirror_diskFull_continuesWhenSpaceReturns() throws {
        let bench = try MirrorBench()
        try bench.write()
        bench.disks[0].fill()
        try bench.write()
        #expect(eventually { bench.condition(0) == .full })
        bench.disks[0].bringBack()
        try bench.write(bench.recording.fragments.count - 2)
        #expect(eventually { bench.condition(0) == .complete })
        _ = try bench.finish()
        try bench.expectBothWhole()
    }

    @Test func mirror_oneDiskMissingAtTheStart_recordsOnTheOther() throws {
        let bench = try MirrorBench()
        bench.disks[0].take()
        try bench.write(bench.recording.fragments.count)
        #expect(bench.condition(0) == .lost)
        #expect(try bench.finish() == 1)
        #expect(bench.isThere("take.mov", on: 1) && !bench.isThere("take.recording.mov", on: 0))
        let result = try MirrorRepair.repair(bench.disks[0].path("take.mov"), bench.disks[1].path("take.mov"))
        #expect(result.outcome == .completed)
        try bench.expectBothWhole()
    }

    @Test func mirror_diskMissingAtTheEnd_isRepairedLater() throws {
        let bench = try MirrorBench()
        try bench.write(2)
        bench.disks[1].take()
        try bench.write(bench.recording.fragments.count - 2)
        #expect(try bench.finish() == 0)
        #expect(bench.isThere("take.mov", on: 0) && bench.isThere("take.recording.mov", on: 1))
        let result = try MirrorRepair.repair(bench.disks[0].path("take.mov"), bench.disks[1].path("take.mov"))
        #expect(result.outcome == .completed && result.broughtOver > 0)
        try bench.expectBothWhole()
    }

    @Test func mirror_bothDisksDisconnected_failsTheWriter() throws {
        let bench = try MirrorBench()
        try bench.write()
        for disk in bench.disks { disk.take() }
        let error = #expect(throws: MediaError.self) { try bench.write() }
        #expect(error?.underlying == .errno(EIO))
        bench.mirror.close()
        #expect(bench.isThere("take.recording.mov", on: 0) && bench.isThere("take.recording.mov", on: 1))
    }

    /// Returns the error of a state in which both disks have failed, the first one first.
    private func failure(_ errors: [Int32], opened: Bool = true) -> MediaError? {
        var state = MirrorState(limit: 1 << 20)
        var block = MirrorBlock()
        [UInt8](repeating: 7, count: 10).withUnsafeBytes { block.add($0, at: 0) }
        for index in 0...1 {
            _ = state.takeWork(index)
            if opened { state.opened(index) }
        }
        if opened { state.hand(block) }
        for (index, number) in errors.enumerated() {
            state.failed(MediaError(errno: number, "cannot write \(index)"), isWriting: opened, index)
        }
        let outcome = opened ? state.outcome(of: block) : state.outcomeOfOpening(isPatient: true)
        guard case .failure(let error) = outcome else { return nil }
        return error
    }

    @Test(arguments: [
        ([ENOSPC, ESTALE], ESTALE), ([ESTALE, ENOSPC], ESTALE), ([EIO, ESTALE], ESTALE), ([ENOSPC, EIO], EIO),
        ([EIO, EIO], EIO), ([ENOSPC, ENOSPC], ENOSPC),
        // The first file was deleted, or never there: the data is in the second one.
        ([ENOENT, EIO], EIO), ([ENOENT, ENOSPC], ENOSPC), ([ENOENT, ENOENT], ENOENT),
    ]) func mirror_bothDisksFail_theOneThatMayReturnDecides(errors: [Int32], decisive: Int32) {
        #expect(failure(errors)?.underlying == .errno(decisive))
    }

    @Test(arguments: [([EIO, ENOENT], ENOENT), ([ENOSPC, ENOENT], ENOENT), ([EIO, EROFS], EIO)])
    func mirror_neitherFileOpens_missingDirectoryDecides(errors: [Int32], decisive: Int32) {
        #expect(failure(errors, opened: false)?.underlying == .errno(decisive))
    }

    @Test func mirror_bothDisksFail_bothFilesCanBeCompletedLater() throws {
        let bench = try MirrorBench()
        try bench.write(2)
        #expect(eventually { bench.condition(0) == .complete && bench.condition(1) == .complete })
        for disk in bench.disks { disk.take() }
        #expect(throws: MediaError.self) { try bench.write() }
        bench.mirror.close()
        for disk in bench.disks { disk.bringBack() }
        let result = try MirrorRepair.repair(bench.disks[0].path("take.mov"), bench.disks[1].path("take.mov"))
        #expect(result.outcome == .completed)
        #expect(bench.bytes("take.mov", on: 0) == bench.bytes("take.mov", on: 1))
        #expect(try Probe(bench.disks[0].path("take.mov"), decodes: true).complaints == "")
    }

    @Test func mirror_nameExistsOnOneDisk_throws() throws {
        let bench = try MirrorBench()
        let strange = Data("another program's".utf8)
        try strange.write(to: URL(fileURLWithPath: bench.disks[1].path("take.mov")))
        let error = #expect(throws: MediaError.self) { try bench.write() }
        #expect(error?.code == .outputExists)
        #expect(eventually { !bench.isThere("take.recording.mov", on: 0) })
        #expect(bench.bytes("take.mov", on: 1) == strange)
    }

    @Test func mirror_mirroredFileReplaced_keepsTheOtherFile() throws {
        let bench = try MirrorBench()
        try bench.write()
        bench.disks[1].take()
        try bench.write()
        #expect(eventually { bench.condition(1) == .lost })
        let strange = Data(repeating: 7, count: 10_000)
        try strange.write(to: URL(fileURLWithPath: bench.disks[1].path("take.recording.mov")), options: .atomic)
        bench.disks[1].bringBack()
        #expect(eventually { bench.condition(1) == .gone })
        try bench.write(bench.recording.fragments.count - 2)
        #expect(try bench.finish() == 0)
        #expect(bench.bytes("take.recording.mov", on: 1) == strange)
    }
}

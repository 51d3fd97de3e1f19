import Glibc
import MediaTypes
import Testing

@testable import Capture

/// The decision between copied and imported frames, and the frames that an encoder reads in a camera's buffers.
@Suite struct FrameTransferTests {
    /// Returns true if the next frame, in dma-bufs, is imported, and makes that change.
    private func imports(_ transfer: inout FrameTransfer, mayImport: Bool = true) -> Bool {
        guard transfer.next(isImportable: true, mayImport: mayImport) == .imported else { return false }
        transfer.recordImporting()
        return true
    }

    /// Returns the number of frames in dma-bufs until one is imported; nil if none of 10,000 is.
    private func framesUntilImported(_ transfer: inout FrameTransfer) -> Int? {
        for count in 1...10_000 where imports(&transfer) { return count }
        return nil
    }

    @Test func next_firstFrameInDMABufs_isImported() {
        var transfer = FrameTransfer(frameBuffers: 4)
        #expect(transfer.mode == .copied)
        let wasImported = imports(&transfer)
        #expect(wasImported && transfer.mode == .imported && transfer.obstacle == nil)
        let next = transfer.next(isImportable: true, mayImport: false)
        #expect(next == .imported)
    }

    @Test func next_framesInOtherMemory_areCopiedWithoutAnObstacle() {
        var transfer = FrameTransfer(frameBuffers: 4)
        for _ in 0..<1000 {
            let next = transfer.next(isImportable: false, mayImport: true)
            #expect(next == .copied)
        }
        #expect(transfer.obstacle == nil)
        let wasImported = imports(&transfer)
        #expect(wasImported)
    }

    @Test func next_runningEncoder_importsFromAKeyframeOn() {
        var transfer = FrameTransfer(frameBuffers: 4)
        for _ in 0..<10 {
            let isEarly = imports(&transfer, mayImport: false)
            #expect(!isEarly)
        }
        let wasImported = imports(&transfer)
        #expect(wasImported)
    }

    @Test func record_framesInOtherMemory_makeEachAttemptWaitTwiceAsLong() {
        var transfer = FrameTransfer(frameBuffers: 4)
        for count in [1, 300, 600, 1200, 2400] {
            let found = framesUntilImported(&transfer)
            #expect(found == count)
            let next = transfer.next(isImportable: false, mayImport: true)
            #expect(next == .copied)
            transfer.record(.otherMemory)
        }
        #expect(transfer.mode == .copied && transfer.obstacle == .otherMemory)
    }

    /// The frames must come without another one between them.
    @Test func next_otherFramesInBetween_startTheCountAgain() {
        var transfer = FrameTransfer(frameBuffers: 4)
        _ = imports(&transfer)
        transfer.record(.otherMemory)
        for number in 1...1000 {
            let next = transfer.next(isImportable: number % 299 != 0, mayImport: true)
            #expect(next == .copied)
        }
    }

    @Test(arguments: [.refused(errno: EINVAL), .refusedFrame(errno: EFAULT)] as [FrameTransfer.Obstacle])
    func record_refusalOfTheDriver_isFinal(obstacle: FrameTransfer.Obstacle) {
        var transfer = FrameTransfer(frameBuffers: 4)
        let isFirst = transfer.record(obstacle)
        let found = framesUntilImported(&transfer)
        #expect(isFirst && found == nil && transfer.obstacle == obstacle)
    }

    @Test func record_furtherObstacles_areNotTheFirst() {
        var transfer = FrameTransfer(frameBuffers: 4)
        let results = [transfer.record(.layout), transfer.record(.failure), transfer.record(.refused(errno: EINVAL))]
        #expect(results == [true, false, false] && transfer.obstacle == .layout)
    }

    @Test func notice_ofEachObstacle_hasTheRawCode() {
        let obstacles: [(FrameTransfer.Obstacle, String)] = [
            (.refused(errno: EINVAL), "(EINVAL)"), (.refusedFrame(errno: EFAULT), "(EFAULT)"), (.layout, "row layout"),
            (.otherMemory, "few buffers"), (.failure, "failed"),
        ]
        for (obstacle, words) in obstacles {
            let line = obstacle.notice(of: "/dev/video11").description
            #expect(line.contains(words) && line.contains("/dev/video11"), "\(line)")
        }
    }

    // MARK: Leases

    private func buffers(_ count: Int64) -> [FakeCameraBuffer] {
        (0..<count).map { FakeCameraBuffer(EncoderBench.frame($0)) }
    }

    @Test func leases_importedFrames_areReturnedWithTheirBuffers() {
        var transfer = FrameTransfer(frameBuffers: 3)
        let buffers = buffers(3)
        _ = imports(&transfer)
        for (index, buffer) in buffers.enumerated() { transfer.recordQueued(buffer.lend(), in: index) }
        #expect(transfer.leaseCount == 3 && buffers.map(\.returnCount) == [0, 0, 0])
        transfer.recordReturned(1)
        #expect(transfer.leaseCount == 2 && buffers.map(\.returnCount) == [0, 1, 0])
        // A driver's mistake changes nothing.
        for index in [1, -1, 3] { transfer.recordReturned(index) }
        #expect(buffers.map(\.returnCount) == [0, 1, 0])
        transfer.recordStop()
        transfer.recordStop()
        #expect(transfer.leaseCount == 0 && buffers.map(\.returnCount) == [1, 1, 1])
    }

    @Test func leases_endOfTheValue_returnsAllBuffers() {
        let buffers = buffers(2)
        var transfers = [FrameTransfer(frameBuffers: 2)]
        _ = imports(&transfers[0])
        for (index, buffer) in buffers.enumerated() { transfers[0].recordQueued(buffer.lend(), in: index) }
        #expect(buffers.map(\.returnCount) == [0, 0])
        transfers.removeAll()
        #expect(buffers.map(\.returnCount) == [1, 1])
    }

    @Test func leases_copiedFramesAndUnknownBuffers_areNotKept() {
        var transfer = FrameTransfer(frameBuffers: 2)
        let buffers = buffers(3)
        transfer.recordQueued(buffers[0].lend(), in: 0)
        _ = imports(&transfer)
        transfer.recordQueued(buffers[1].lend(), in: 2)
        transfer.recordQueued(buffers[2].lend(), in: -1)
        #expect(transfer.leaseCount == 0 && buffers.map(\.returnCount) == [1, 1, 1])
    }
}

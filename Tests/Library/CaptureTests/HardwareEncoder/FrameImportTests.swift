import Glibc
import MediaTypes
import Testing

@testable import Capture

/// Frames that an encoder reads in a camera's buffers: each comes out once, and each buffer is returned once.
@Suite struct FrameImportTests {
    private func bench(depth: Int = 2) -> EncoderBench {
        let bench = EncoderBench()
        bench.device.depth = depth
        bench.lends = { _ in true }
        return bench
    }

    private func keyframes(_ bench: EncoderBench) -> [Int64] { bench.packets.filter(\.isKeyframe).map(\.ticks) }

    @Test func encode_lentFrames_areReadThereAndReturnedAfterUse() throws {
        let bench = bench()
        for _ in 0..<50 {
            try bench.encode(1)
            #expect(bench.lentCount <= 3 && bench.lentCount == bench.encoder.transfer.leaseCount)
        }
        #expect(bench.lentCount == 2 && bench.device.importedCount == 50)
        try bench.finish()
        #expect(bench.packets.count == 50 && bench.isAccountedFor && bench.encoder.lostFrames == 0)
        #expect(bench.areBuffersReturnedOnce && keyframes(bench) == [0] && bench.encoder.copyReason == nil)
        #expect(bench.device.starts == 1 && bench.device.setups == 0)
    }

    /// The gray frame of an encoder is no obstacle, nor are the frames of a test source.
    @Test func encode_otherFramesFirst_importsFromTheNextKeyframeOn() throws {
        let bench = bench()
        bench.lends = { $0 >= 10 }
        try bench.encode(40, keyframesAt: [25])
        try bench.finish()
        #expect(bench.device.importedCount == 15 && keyframes(bench) == [0, 250])
        #expect(bench.packets.count == 40 && bench.isAccountedFor && bench.areBuffersReturnedOnce)
        #expect(bench.encoder.copyReason == nil)
    }

    @Test func encode_frameInOtherMemory_continuesWithCopiesAndLosesNothing() throws {
        let bench = bench()
        bench.lends = { $0 != 20 }
        try bench.encode(40)
        #expect(bench.encoder.transfer.mode == .copied && bench.lentCount == 0)
        try bench.finish()
        #expect(bench.packets.count == 40 && bench.isAccountedFor && bench.encoder.lostFrames == 0)
        #expect(bench.device.importedCount == 20 && bench.device.setups == 1 && keyframes(bench) == [0, 200])
        #expect(bench.areBuffersReturnedOnce)
        #expect(bench.encoder.copyReason?.reason.contains("other memory") == true)
        #expect(bench.encoder.latestFault == nil)
    }

    @Test func encode_manyLentFramesAfterACopy_areImportedFromAKeyframeOn() throws {
        let bench = bench()
        bench.lends = { $0 != 20 }
        try bench.encode(500, keyframesAt: [30, 330])
        try bench.finish()
        #expect(bench.device.importedCount == 20 + 170 && bench.device.importAttempts == 2)
        #expect(keyframes(bench) == [0, 200, 300, 3300])
        #expect(bench.packets.count == 500 && bench.isAccountedFor && bench.areBuffersReturnedOnce)
    }

    @Test func encode_driverThatDoesNotImport_copiesAfterOneAttempt() throws {
        let bench = bench()
        bench.device.obstacle = .refused(errno: EINVAL)
        try bench.encode(1000, keyframesAt: [400, 800])
        try bench.finish()
        #expect(bench.device.importAttempts == 1 && bench.device.importedCount == 0 && bench.device.setups == 1)
        #expect(bench.packets.count == 1000 && bench.isAccountedFor && bench.encoder.lostFrames == 0)
        #expect(bench.encoder.copyReason?.underlying == .errno(EINVAL) && bench.areBuffersReturnedOnce)
    }

    @Test func encode_rowsThatTheDriverDoesNotHave_areCopiedUntilAnotherAttempt() throws {
        let bench = bench()
        bench.device.obstacle = .layout
        try bench.encode(10)
        bench.device.obstacle = nil
        try bench.encode(490, keyframesAt: [200, 400])
        try bench.finish()
        #expect(bench.device.importAttempts == 2 && bench.device.importedCount == 100)
        #expect(bench.packets.count == 500 && bench.isAccountedFor && bench.areBuffersReturnedOnce)
    }

    @Test(arguments: [0, 10]) func encode_refusedDMABuf_copiesThatFrameAndTheNextOnes(first: Int) throws {
        let bench = bench()
        try bench.encode(first)
        bench.device.importError = EFAULT
        try bench.encode(30)
        try bench.finish()
        #expect(bench.packets.count == first + 30 && bench.isAccountedFor && bench.encoder.lostFrames == 0)
        #expect(bench.device.importedCount == first && bench.device.starts == 2 && bench.device.setups == 1)
        #expect(keyframes(bench) == (first == 0 ? [0] : [0, 100]))
        #expect(bench.encoder.copyReason?.underlying == .errno(EFAULT) && bench.areBuffersReturnedOnce)
        #expect(bench.encoder.latestFault == nil)
    }

    @Test(arguments: [.breaks, .stalls, .doubled, .dequeueFails(EIO)] as [FakeEncoder.Fault])
    func encode_failureWhileImporting_returnsTheBuffersAndCopies(fault: FakeEncoder.Fault) throws {
        let bench = bench()
        bench.device.fault = { $0 == 10 ? fault : nil }
        try bench.encode(60)
        #expect(bench.lentCount == 0 && bench.encoder.transfer.mode == .copied)
        try bench.finish()
        #expect(bench.isAccountedFor && bench.areBuffersReturnedOnce && bench.encoder.lostFrames > 0)
        #expect(bench.device.setups == 1 && bench.packets.last?.ticks == 590)
        #expect(bench.encoder.copyReason?.reason.contains("failed") == true && bench.encoder.latestFault != nil)
    }

    @Test func encode_disconnectedDevice_returnsTheBuffers() {
        let bench = bench()
        bench.device.fault = { $0 == 10 ? .disconnects : nil }
        let error = #expect(throws: MediaError.self) { try bench.encode(100) }
        #expect(error?.code == .deviceLost && bench.isAccountedFor)
        #expect(bench.buffers.count > 10 && bench.areBuffersReturnedOnce)
    }

    @Test func encoder_endWithFramesInTheDevice_returnsTheBuffers() throws {
        var benches = [bench()]
        try benches[0].encode(5)
        let buffers = benches[0].buffers
        #expect(buffers.filter { $0.returnCount == 0 }.count == 2)
        benches.removeAll()
        #expect(buffers.allSatisfy { $0.returnCount == 1 })
    }

    /// Whatever a device and a camera do, each frame is counted once, and each buffer is returned once.
    @Test(arguments: (0..<32) as Range<UInt64>) func encode_anyFaults_everyBufferIsReturnedOnce(seed: UInt64) throws {
        var numbers = (seed &+ 77) &* 0x9E37_79B9_7F4A_7C15 | 1
        func random(_ count: Int) -> Int {
            numbers = numbers &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(numbers >> 33) % count
        }
        let faults: [FakeEncoder.Fault] = [
            .doubled, .empty, .missing, .corrupt, .invalid, .foreign, .last, .refused(EIO), .dequeueFails(EINVAL),
            .stalls, .breaks, .returnedTwice,
        ]
        let chosen = (0..<1200).map { _ in random(300) == 0 ? faults[random(faults.count)] : nil }
        let bench = bench(depth: random(3))
        let rarity = [40, 200, 500][random(3)]
        let others = Set((0..<1000).compactMap { random(rarity) == 0 ? Int64($0) : nil })
        bench.lends = { !others.contains($0) }
        bench.device.canForceKeyframes = random(2) == 0
        bench.device.fault = { chosen.indices.contains($0) ? chosen[$0] : nil }
        do {
            for _ in 0..<100 {
                try bench.encode(10, keyframesAt: random(4) == 0 ? [bench.sent + 3] : [])
                #expect(bench.lentCount == bench.encoder.transfer.leaseCount)
                if random(20) == 0 { try bench.finish() }
            }
            try bench.finish()
        } catch let error as MediaError {
            #expect(error.code == .codecFailure)
        }
        #expect(bench.isAccountedFor && bench.areBuffersReturnedOnce && bench.device.importedCount > 0)
    }
}

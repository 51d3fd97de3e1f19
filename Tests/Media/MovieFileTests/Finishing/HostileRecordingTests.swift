import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

/// Tests of recordings with arbitrary bytes.
@Suite struct HostileRecordingTests {
    /// A small recording with index blocks and two tracks.
    private func recording() throws -> (bytes: [UInt8], index: FragmentIndex) {
        let storage = MemoryStorage()
        let writer = try SyntheticRecording.write(
            [SyntheticRecording.videoTrack(), SyntheticRecording.audioTrack(2, SyntheticRecording.pcm)], [],
            to: storage)
        writer.index = FragmentIndex(blockSize: 500)
        for second in 0..<6 as Range<Int64> {
            let frames = (0..<5 as Range<Int64>).map {
                SyntheticRecording.frame(second * 1000 + $0 * 200, size: 3 + Int($0))
            }
            try writer.writeFragment(frames + [SyntheticRecording.block(second * 48_000, count: 10, track: 1)])
        }
        return (storage.bytes, writer.index)
    }

    @Test func finalize_damagedBytes_neverCrashes() throws {
        let (bytes, index) = try recording()
        for seed in 1...1500 as ClosedRange<UInt64> {
            var damaged = bytes
            let noise = SyntheticMedia.noise(40, seed: seed)
            for change in 0..<(1 + Int(noise[39]) % 5) {
                let place = Int(noise[change * 4]) << 8 | Int(noise[change * 4 + 1])
                damaged[place % damaged.count] = noise[change * 4 + 2] > 128 ? 0xFF : noise[change * 4 + 3]
            }
            if noise[38] > 200 { damaged.removeLast(Int(noise[37])) }
            let storage = MemoryStorage(damaged)
            if (try? MovieFinisher.finish(storage, facts: FinishingInfo(index: seed % 2 == 0 ? index : nil))) != nil {
                // An accepted file is a movie now, and not many times larger.
                #expect(try MovieFinisher.finish(storage).wasFinishedAlready)
                #expect(storage.bytes.count < bytes.count * 20)
            }
            _ = try? MovieFinisher.finish(MemoryStorage(damaged), into: MemoryStorage())
        }
    }

    @Test func finalize_samplesThatShareBytes_areNotCounted() throws {
        let (bytes, _) = try recording()
        // One fragment whose thousand runs all claim the same thousand samples.
        var writer = AtomWriter()
        writer.atom("moof") { moof in
            moof.atom("traf") { traf in
                traf.fullAtom("tfhd", flags: 0x020018) {
                    $0.u32(2)
                    $0.u32(1)
                    $0.u32(1)
                }
                traf.fullAtom("tfdt", version: 1) { $0.u64(1 << 20) }
                for _ in 0..<1000 {
                    traf.fullAtom("trun", flags: 0x01) {
                        $0.u32(1000)
                        $0.u32(8 + 8 + 24 + 20 + 20_000 + 8)
                    }
                }
            }
        }
        writer.atom("mdat") { $0.zeros(1100) }
        let storage = MemoryStorage(bytes + writer.bytes)
        let report = try MovieFinisher.finish(storage)
        #expect(report.sampleCounts[2] ?? 0 <= 60 + 1108)
    }

    @Test func finalize_hugeDecodeTime_keepsTheFileSmall() throws {
        for time in [1 << 59, 1 << 60, .max] as [UInt64] {
            let (bytes, _) = try recording()
            var damaged = bytes
            let fragment = try #require(try FinisherCrashTests.fragments(bytes).last)
            let field = try #require(
                (fragment.offset..<(fragment.offset + fragment.headerSize - 4)).first {
                    damaged[$0..<($0 + 4)].elementsEqual(Array("tfdt".utf8))
                })
            var number = AtomWriter()
            number.u64(time)
            damaged.replaceSubrange((field + 8)..<(field + 16), with: number.bytes)
            let storage = MemoryStorage(damaged)
            try MovieFinisher.finish(storage)
            #expect(storage.bytes.count < damaged.count + 20_000)
        }
    }
}

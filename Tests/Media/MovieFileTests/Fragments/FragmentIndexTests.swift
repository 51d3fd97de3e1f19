import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

@Suite struct FragmentIndexTests {
    private static let (fragments, frames) = (120, 10)

    /// A recording with many small fragments, with small index blocks between them.
    private func recording() throws -> (bytes: [UInt8], index: FragmentIndex) {
        let storage = MemoryStorage()
        let writer = try SyntheticRecording.write([SyntheticRecording.videoTrack()], [], to: storage)
        writer.index = FragmentIndex(blockSize: 2000)
        for fragment in 0..<Self.fragments {
            try writer.writeFragment(
                (0..<Self.frames).map { number in
                    let place = fragment * Self.frames + number
                    return SyntheticRecording.frame(Int64(place), size: 4000 + place % 3)
                })
        }
        return (storage.bytes, writer.index)
    }

    private static let shared = Result { try FragmentIndexTests().recording() }

    @Test func index_used_readsLessWithTheSameResult() throws {
        let (bytes, index) = try Self.shared.get()
        #expect(index.lastBlock > 0 && !index.pending.isEmpty)
        let (walked, indexed) = (MemoryStorage(bytes), MemoryStorage(bytes))
        let counting = CountingStorage(indexed)
        let plain = try MovieFinisher.finish(walked)
        let report = try MovieFinisher.finish(counting, facts: FinishingInfo(index: index))
        #expect(indexed.bytes == walked.bytes && report == plain)
        #expect(report.sampleCounts[1] == Int64(Self.fragments * Self.frames) && report.abandonedBytes == 0)
        // A few reads for each block, not one or more for each fragment.
        #expect(counting.readCount < Self.fragments, "\(counting.readCount) reads")
    }

    @Test func index_block_isInTheSameWriteAsItsFragment() throws {
        let storage = MemoryStorage()
        let batch = (0..<300).map { SyntheticRecording.frame(Int64($0), size: 1 + $0 % 3) }
        let later = (300..<310).map { SyntheticRecording.frame(Int64($0)) }
        let writer = try SyntheticRecording.write([SyntheticRecording.videoTrack()], [], to: storage)
        writer.index = FragmentIndex(blockSize: 1000)
        for batch in [batch, later] { try writer.writeFragment(batch) }
        #expect(storage.writes.count == 2 && storage.syncCount == 2)
        var atoms = try TopLevelAtoms(storage)
        let block = try #require(try atoms.header(at: storage.writes[1].offset))
        #expect(block.type == "free" && block.size > 1000)
        let copy = try #require(try atoms.header(at: block.end))
        let isCopy = try HeadCopy(copy, &atoms) != nil
        #expect(isCopy)
        #expect(try atoms.header(at: copy.end)?.type == "moof")
    }

    @Test func index_blocks_areSkippedByFFmpeg() throws {
        let (bytes, _) = try Self.shared.get()
        try judge(bytes) { path in
            let result = try Probe.ask(path, "stream=nb_read_packets", level: "fatal", options: ["-count_packets"])
            #expect(result.status == 0 && result.text.contains(String(Self.fragments * Self.frames)))
        }
    }

    @Test func index_damagedOrOfAnotherFile_isNotUsed() throws {
        let (bytes, index) = try Self.shared.get()
        let expected = MemoryStorage(bytes)
        try MovieFinisher.finish(expected)
        let block = Int(index.lastBlock)
        var damages: [(String, [UInt8])] = []
        for (name, offset) in [("signature", 8), ("version", 15), ("the block before", 23), ("first offset", 31)] {
            var damaged = bytes
            damaged[block + offset] ^= 1
            damages.append((name, damaged))
        }
        var cyclic = bytes
        cyclic.replaceSubrange((block + 16)..<(block + 24), with: bigEndian(index.lastBlock))
        damages.append(("itself", cyclic))
        for (name, damaged) in damages {
            let storage = MemoryStorage(damaged)
            try MovieFinisher.finish(storage, facts: FinishingInfo(index: index))
            // The movie is the same, except for the damage in the first bytes of the index block.
            var same = expected.bytes
            same.replaceSubrange(block..<(block + 32), with: damaged[block..<(block + 32)])
            let isSame = storage.bytes == same
            #expect(isSame, "\(name)")
        }
        // The index of another file.
        let other = MemoryStorage(try Recording.short.bytes())
        #expect(try MovieFinisher.finish(other, facts: FinishingInfo(index: index)).sampleCounts[1] == 90)
    }

    @Test func index_fragmentsAfterIt_areFound() throws {
        let storage = MemoryStorage()
        let batches = (0..<5).map { fragment in
            (0..<10).map { SyntheticRecording.frame(Int64(fragment * 10 + $0) * 40) }
        }
        let writer = try SyntheticRecording.write([SyntheticRecording.videoTrack()], Array(batches[..<3]), to: storage)
        let index = writer.index
        try writer.writeFragment(batches[3])
        try writer.writeFragment(batches[4])
        let report = try MovieFinisher.finish(storage, facts: FinishingInfo(index: index))
        #expect(report.sampleCounts[1] == 50)
    }

    private func bigEndian(_ value: UInt64) -> [UInt8] {
        var writer = AtomWriter()
        writer.u64(value)
        return writer.bytes
    }
}

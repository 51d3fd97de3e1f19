import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

/// The tables of a track: first counted, then written.
private struct Table {
    private enum Call {
        case append(count: UInt32, duration: UInt32, size: UInt32, offset: Int32, isKeyframe: Bool)
        case endChunk(UInt64, UInt32)
        case setLast(UInt32)
    }
    private var calls: [Call] = []

    mutating func append(
        count: UInt32 = 1, duration: UInt32, size: UInt32, compositionOffset: Int32, isKeyframe: Bool
    ) {
        calls.append(
            .append(count: count, duration: duration, size: size, offset: compositionOffset, isKeyframe: isKeyframe))
    }
    mutating func endChunk(offset: UInt64, count: UInt32) { calls.append(.endChunk(offset, count)) }
    mutating func setLastDuration(_ ticks: UInt32) { calls.append(.setLast(ticks)) }

    func run<Sink: SampleTableSink>(_ sink: Sink) throws -> SampleTableRuns<Sink> {
        var runs = SampleTableRuns(sink)
        for call in calls {
            switch call {
            case .append(let count, let duration, let size, let offset, let isKeyframe):
                try runs.append(
                    count: count, duration: duration, size: size, compositionOffset: offset, isKeyframe: isKeyframe)
            case .endChunk(let offset, let count): try runs.endChunk(offset: offset, count: count)
            case .setLast(let ticks): try runs.setLastDuration(ticks)
            }
        }
        try runs.finish()
        return runs
    }

    var duration: UInt64 { get throws { try run(SampleTableLayout()).duration } }
    var sampleCount: UInt32 { get throws { try run(SampleTableLayout()).sampleCount } }

    /// Each table's numbers after version and flags.
    func tables(capacity: Int = 64) throws -> [String: [UInt32]] {
        let layout = try run(SampleTableLayout()).sink
        let isLong = layout.largestChunkOffset > UInt64(UInt32.max)
        var assembly = HeaderAssembly()
        assembly.atom("stbl") { stbl in
            for table in layout.tables(hasLongOffsets: isLong) { stbl.add(table, track: 1) }
        }
        let storage = MemoryStorage()
        try assembly.write(to: storage, at: 0)
        let places = assembly.places(ofTrack: 1, from: 0)
        var sink = try run(SampleTableWriter(storage, places: places, hasLongOffsets: isLong, capacity: capacity)).sink
        try sink.flush()
        let atom = try #require(Atom(parsing: storage.bytes))
        #expect(storage.bytes.count == Int(assembly.length))
        var result: [String: [UInt32]] = [:]
        for child in atom.children {
            var reader = ByteReader(child.payload)
            var numbers: [UInt32] = []
            while let number = reader.u32() { numbers.append(number) }
            result[child.type.description] = Array(numbers.dropFirst())
        }
        return result
    }
}

@Suite struct SampleTableTests {
    private func tables(_ table: Table) throws -> [String: [UInt32]] { try table.tables() }

    @Test func tables_constantValues_takeOneRun() throws {
        var table = Table()
        for fragment in 0..<100 {
            for _ in 0..<30 { table.append(duration: 512, size: 100, compositionOffset: 0, isKeyframe: true) }
            table.endChunk(offset: UInt64(fragment * 3000), count: 30)
        }
        let tables = try tables(table)
        #expect(tables["stts"] == [1, 3000, 512])
        #expect(tables["stsz"] == [100, 3000])
        #expect(tables["stsc"] == [1, 1, 30, 1])
        #expect(tables["stco"]?.count == 101 && tables["stco"]?.last == 99 * 3000)
        #expect(tables["stss"] == nil && tables["ctts"] == nil)
        #expect(try table.duration == 3000 * 512 && table.sampleCount == 3000)
    }

    @Test func tables_longPCM_takeOneRun() throws {
        var table = Table()
        for _ in 0..<100 { table.append(count: 48_000, duration: 1, size: 4, compositionOffset: 0, isKeyframe: true) }
        let tables = try tables(table)
        #expect(tables["stts"] == [1, 4_800_000, 1] && tables["stsz"] == [4, 4_800_000])
    }

    @Test func tables_framesThatAreNotKeyframes_listTheKeyframes() throws {
        var table = Table()
        for number in 0..<6 {
            table.append(duration: 1, size: UInt32(number), compositionOffset: 0, isKeyframe: number % 3 == 0)
        }
        let tables = try tables(table)
        #expect(tables["stss"] == [2, 1, 4])
        #expect(tables["stsz"] == [0, 6, 0, 1, 2, 3, 4, 5])
    }

    @Test func tables_keyframesBeforeTheFirstOtherFrame_areListed() throws {
        var table = Table()
        table.append(count: 3, duration: 1, size: 9, compositionOffset: 0, isKeyframe: true)
        table.append(duration: 1, size: 9, compositionOffset: 0, isKeyframe: false)
        table.append(count: 2, duration: 1, size: 9, compositionOffset: 0, isKeyframe: true)
        #expect(try tables(table)["stss"] == [5, 1, 2, 3, 5, 6])
    }

    @Test func tables_oneSizeDiffers_listEverySize() throws {
        var table = Table()
        table.append(count: 3, duration: 1, size: 7, compositionOffset: 0, isKeyframe: true)
        table.append(duration: 1, size: 8, compositionOffset: 0, isKeyframe: true)
        #expect(try tables(table)["stsz"] == [0, 4, 7, 7, 7, 8])
    }

    @Test func tables_frameShownLater_haveCompositionOffsets() throws {
        var table = Table()
        table.append(duration: 1, size: 1, compositionOffset: 2, isKeyframe: true)
        table.append(duration: 1, size: 1, compositionOffset: -1, isKeyframe: true)
        #expect(try tables(table)["ctts"] == [2, 1, 2, 1, UInt32(bitPattern: -1)])
    }

    @Test func tables_lastDuration_isCorrectedInsideARunAndAlone() throws {
        var table = Table()
        table.append(count: 3, duration: 10, size: 1, compositionOffset: 0, isKeyframe: true)
        table.setLastDuration(12)
        #expect(try tables(table)["stts"] == [2, 2, 10, 1, 12] && table.duration == 32)
        table.setLastDuration(10)
        #expect(try tables(table)["stts"] == [1, 3, 10] && table.duration == 30)
        var single = Table()
        single.setLastDuration(5)
        #expect(try single.duration == 0)
    }

    @Test func tables_chunksOfOneLength_shareAnEntry() throws {
        var table = Table()
        for (index, count) in ([30, 30, 31, 30] as [UInt32]).enumerated() {
            table.append(count: count, duration: 1, size: 1, compositionOffset: 0, isKeyframe: true)
            table.endChunk(offset: UInt64(index), count: count)
        }
        #expect(try tables(table)["stsc"] == [3, 1, 30, 1, 3, 31, 1, 4, 30, 1])
    }

    @Test func tables_offsetsPastFourGibibytes_take64Bits() throws {
        var table = Table()
        table.append(duration: 1, size: 1, compositionOffset: 0, isKeyframe: true)
        table.endChunk(offset: 5, count: 1)
        table.append(duration: 1, size: 1, compositionOffset: 0, isKeyframe: true)
        table.endChunk(offset: 1 << 32, count: 1)
        #expect(try tables(table)["co64"] == [2, 0, 5, 1, 0])
        #expect(try tables(table)["stco"] == nil)
    }

    @Test func tables_sampleCount_isLimited() throws {
        var runs = SampleTableRuns(SampleTableLayout())
        try runs.append(count: .max - 1, duration: .max, size: 4, compositionOffset: 0, isKeyframe: true)
        #expect(runs.hasRoom(for: 1) && !runs.hasRoom(for: 2) && !runs.hasRoom(for: 1 << 40))
    }

    @Test func tables_anyBufferSize_areTheSame() throws {
        var table = Table()
        for number in 0..<500 as Range<UInt32> {
            table.append(
                duration: number % 7, size: number % 5, compositionOffset: Int32(number % 3),
                isKeyframe: number % 11 == 0)
            if number % 10 == 9 { table.endChunk(offset: UInt64(number) * 100, count: 10) }
        }
        let expected = try table.tables(capacity: 1 << 20)
        for capacity in [0, 16, 17, 100] { #expect(try table.tables(capacity: capacity) == expected) }
    }

    @Test func tables_anotherSizeThanCounted_throw() throws {
        let storage = MemoryStorage()
        var sink = SampleTableWriter(storage, places: [.sizes: 0..<8], hasLongOffsets: false, capacity: 16)
        #expect(throws: MediaError.self) {
            try sink.sizes(1, count: 3)
            try sink.flush()
        }
        #expect(storage.bytes.isEmpty)
        var short = SampleTableWriter(storage, places: [.sizes: 0..<8], hasLongOffsets: false, capacity: 16)
        #expect(throws: MediaError.self) {
            try short.sizes(1, count: 1)
            try short.flush()
        }
    }
}

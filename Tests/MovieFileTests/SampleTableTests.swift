import MediaTypes
import Testing

@testable import MovieFile

@Suite struct SampleTableTests {
    /// The tables as numbers: everything behind version and flags.
    private func tables(_ table: SampleTable) throws -> [String: [UInt32]] {
        let bytes = AtomWriter.build("stbl") { table.write(into: &$0) }
        let atom = try #require(Atom(parsing: bytes))
        var result: [String: [UInt32]] = [:]
        for child in atom.children {
            var reader = ByteReader(child.payload)
            var numbers: [UInt32] = []
            while let number = reader.u32() { numbers.append(number) }
            result[child.type.description] = Array(numbers.dropFirst())
        }
        return result
    }

    @Test func constantValuesTakeOneRun() throws {
        var table = SampleTable()
        for fragment in 0..<100 {
            for _ in 0..<30 { table.append(duration: 512, size: 100, compositionOffset: 0, isKeyFrame: true) }
            table.endChunk(offset: UInt64(fragment * 3000), count: 30)
        }
        let tables = try tables(table)
        #expect(tables["stts"] == [1, 3000, 512])
        #expect(tables["stsz"] == [100, 3000])
        #expect(tables["stsc"] == [1, 1, 30, 1])
        #expect(tables["stco"]?.count == 101 && tables["stco"]?.last == 99 * 3000)
        #expect(tables["stss"] == nil && tables["ctts"] == nil)
        #expect(table.duration == 3000 * 512 && table.sampleCount == 3000)
    }

    @Test func pcmCostsNothingHoweverLong() throws {
        var table = SampleTable()
        for _ in 0..<100 { table.append(count: 48_000, duration: 1, size: 4, compositionOffset: 0, isKeyFrame: true) }
        let tables = try tables(table)
        #expect(tables["stts"] == [1, 4_800_000, 1] && tables["stsz"] == [4, 4_800_000])
    }

    @Test func keyFramesAreListedOnceOneIsMissing() throws {
        var table = SampleTable()
        for number in 0..<6 {
            table.append(duration: 1, size: UInt32(number), compositionOffset: 0, isKeyFrame: number % 3 == 0)
        }
        let tables = try tables(table)
        #expect(tables["stss"] == [2, 1, 4])
        #expect(tables["stsz"] == [0, 6, 0, 1, 2, 3, 4, 5])
    }

    @Test func keyFramesBeforeTheFirstOtherOneAreNotForgotten() throws {
        var table = SampleTable()
        table.append(count: 3, duration: 1, size: 9, compositionOffset: 0, isKeyFrame: true)
        table.append(duration: 1, size: 9, compositionOffset: 0, isKeyFrame: false)
        table.append(count: 2, duration: 1, size: 9, compositionOffset: 0, isKeyFrame: true)
        #expect(try tables(table)["stss"] == [5, 1, 2, 3, 5, 6])
    }

    @Test func sizesSpreadOutWhenOneDiffers() throws {
        var table = SampleTable()
        table.append(count: 3, duration: 1, size: 7, compositionOffset: 0, isKeyFrame: true)
        table.append(duration: 1, size: 8, compositionOffset: 0, isKeyFrame: true)
        #expect(try tables(table)["stsz"] == [0, 4, 7, 7, 7, 8])
    }

    @Test func offsetsAppearWhereAPictureIsShownLater() throws {
        var table = SampleTable()
        table.append(duration: 1, size: 1, compositionOffset: 2, isKeyFrame: true)
        table.append(duration: 1, size: 1, compositionOffset: -1, isKeyFrame: true)
        #expect(try tables(table)["ctts"] == [2, 1, 2, 1, UInt32(bitPattern: -1)])
    }

    @Test func theLastDurationIsCorrectedInsideARunAndAlone() throws {
        var table = SampleTable()
        table.append(count: 3, duration: 10, size: 1, compositionOffset: 0, isKeyFrame: true)
        table.setLastDuration(12)
        #expect(try tables(table)["stts"] == [2, 2, 10, 1, 12] && table.duration == 32)
        table.setLastDuration(10)
        #expect(try tables(table)["stts"] == [1, 3, 10] && table.duration == 30)
        var single = SampleTable()
        single.setLastDuration(5)
        #expect(single.duration == 0)
    }

    @Test func chunksOfOneLengthShareAnEntry() throws {
        var table = SampleTable()
        for (index, count) in ([30, 30, 31, 30] as [UInt32]).enumerated() {
            table.append(count: count, duration: 1, size: 1, compositionOffset: 0, isKeyFrame: true)
            table.endChunk(offset: UInt64(index), count: count)
        }
        #expect(try tables(table)["stsc"] == [3, 1, 30, 1, 3, 31, 1, 4, 30, 1])
    }

    @Test func offsetsPastFourGibibytesTakeSixtyFourBits() throws {
        var table = SampleTable()
        table.append(duration: 1, size: 1, compositionOffset: 0, isKeyFrame: true)
        table.endChunk(offset: 5, count: 1)
        table.append(duration: 1, size: 1, compositionOffset: 0, isKeyFrame: true)
        table.endChunk(offset: 1 << 32, count: 1)
        #expect(try tables(table)["co64"] == [2, 0, 5, 1, 0])
        #expect(try tables(table)["stco"] == nil)
    }

    @Test func theCountOfSamplesHasAnEnd() {
        var table = SampleTable()
        table.append(count: .max - 1, duration: .max, size: 4, compositionOffset: 0, isKeyFrame: true)
        #expect(table.hasRoom(for: 1) && !table.hasRoom(for: 2) && !table.hasRoom(for: 1 << 40))
    }
}

import MediaTypes
import Testing

@testable import MovieFile

/// Tests of the sample description of timed metadata.
@Suite struct MetadataDescriptionTests {
    private static let keys = [
        MetadataFormat.Key(id: 1, name: Array("a.b".utf8), dataType: .wellKnown(65)),
        MetadataFormat.Key(id: 7, keySpace: "udta", name: [0xA9, 1, 2, 3], dataType: .named("x.y"), language: "de-CH"),
    ]

    /// The payload of the sample description table.
    private static func table(_ format: MetadataFormat) -> [UInt8] {
        let bytes = AtomWriter.build("stbl") { stbl in
            SampleDescription.write(.metadata(format), dialect: .quickTime, into: &stbl)
        }
        // The headers of `stbl` and `stsd`.
        return Array(bytes.dropFirst(16))
    }

    @Test func write_oneKey_hasTheAtomsOfQTFF() {
        var expected: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]
        let atoms: [(size: UInt8, text: String, rest: [UInt8])] = [
            (63, "mebx", [0, 0, 0, 0, 0, 0, 0, 1]), (47, "keys", []), (39, "\0\0\0\u{1}", []),
            (15, "keydmdtaa.b", []), (16, "dtyp", [0, 0, 0, 0, 0, 0, 0, 65]),
        ]
        for atom in atoms { expected += [0, 0, 0, atom.size] + Array(atom.text.utf8) + atom.rest }
        #expect(Self.table(MetadataFormat(keys: [Self.keys[0]])) == expected)
    }

    @Test func read_writtenDescription_returnsItsKeys() throws {
        let table = Self.table(MetadataFormat(keys: Self.keys))
        let format = try #require(MetadataDescription.read(table, handler: "meta"))
        #expect(format.keys == Self.keys && format.fault == nil)
        // A copy is stored as it was.
        #expect(Self.table(format) == table)
    }

    @Test func read_otherHandlerCodeOrCount_returnsNothing() {
        var table = Self.table(MetadataFormat(keys: Self.keys))
        #expect(MetadataDescription.read(table, handler: "text") == nil)
        #expect(MetadataDescription.read(table, handler: nil) == nil)
        table[7] = 2
        #expect(MetadataDescription.read(table, handler: "meta") == nil)
        (table[7], table[12]) = (1, 0x78)
        #expect(MetadataDescription.read(table, handler: "meta") == nil)
    }

    @Test func read_truncatedAnywhere_neverTraps() {
        let table = Self.table(MetadataFormat(keys: Self.keys))
        for count in table.indices {
            #expect(MetadataDescription.read(Array(table.prefix(count)), handler: "meta") == nil)
        }
        for index in table.indices {
            var damaged = table
            damaged[index] ^= 0xFF
            _ = MetadataDescription.read(damaged, handler: "meta")
        }
    }

    @Test func fault_invalidKeys_isReported() {
        func fault(_ ids: [UInt32], name: [UInt8] = [1]) -> String? {
            MetadataFormat(keys: ids.map { MetadataFormat.Key(id: $0, name: name, dataType: .wellKnown(0)) }).fault
        }
        #expect(fault([1, 2]) == nil)
        #expect(fault([]) != nil && fault([1, 1]) != nil && fault([0]) != nil && fault([.max]) != nil)
        #expect(fault([1], name: []) != nil)
    }

    @Test func refusal_ofTimedMetadata_isForMPEG4() {
        let format = FormatDescription.metadata(MetadataFormat(keys: Self.keys))
        #expect(ContainerRules.isPermitted(format, in: .mov))
        #expect(ContainerRules.refusal(of: format, in: .mp4)?.wayOut == "write .mov")
    }
}

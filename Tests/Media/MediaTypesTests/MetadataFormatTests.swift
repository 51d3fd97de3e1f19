import MediaTypes
import Testing

/// Tests of the samples of timed metadata, and of the rules for their keys.
@Suite struct MetadataFormatTests {
    private static func key(_ id: UInt32, _ name: String = "a.b") -> MetadataFormat.Key {
        MetadataFormat.Key(id: id, name: Array(name.utf8), dataType: .wellKnown(1))
    }

    private static let format = MetadataFormat(keys: [key(1), key(2, "c.d")])

    private static func sample(_ bytes: [UInt8]) -> SampleBuffer {
        SampleBuffer(format: .metadata(format), content: .data(MediaData(bytes)), presentationTime: .zero)
    }

    private static func bytes(_ sample: SampleBuffer) -> [UInt8] {
        if case .data(let data) = sample.content { Array(data.bytes) } else { [] }
    }

    @Test func sample_values_areAtomsAndReadBack() {
        let values = [
            MetadataFormat.Value(key: 2, bytes: [0xFF]), MetadataFormat.Value(key: 1, bytes: []),
            MetadataFormat.Value(key: 2, bytes: [1, 2]),
        ]
        let time = MediaTime(value: 1, timescale: 2)
        let sample = Self.format.sample(values, at: time, duration: time)
        let atoms: [[UInt8]] = [
            [0, 0, 0, 9, 0, 0, 0, 2, 0xFF], [0, 0, 0, 8, 0, 0, 0, 1], [0, 0, 0, 10, 0, 0, 0, 2, 1, 2],
        ]
        #expect(Self.bytes(sample) == Array(atoms.joined()))
        #expect(Self.format.values(in: sample) == values)
        #expect(sample.presentationTime == time && sample.duration == time && sample.format.mediaType == .metadata)
        #expect(sample.format.metadata == Self.format)
    }

    @Test func sample_noValues_hasAnAtomOfNoKey() {
        let sample = Self.format.sample([], at: .zero)
        #expect(Self.bytes(sample) == [0, 0, 0, 8, 0, 0, 0, 0])
        #expect(Self.format.values(in: sample).isEmpty && sample.duration == nil)
    }

    @Test(
        arguments: [
            [], [0, 0, 0], [0, 0, 0, 7, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 10, 0, 0, 0, 1, 5],
            [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1], [0, 0, 0, 8, 0, 0, 0, 9],
        ] as [[UInt8]]) func values_damagedOrUnknownAtoms_areLeftOut(bytes: [UInt8])
    {
        #expect(Self.format.values(in: Self.sample(bytes)).isEmpty)
    }

    @Test func values_beforeDamage_areKept() {
        let found = Self.format.values(in: Self.sample([0, 0, 0, 9, 0, 0, 0, 1, 7, 0, 0, 1, 0, 0, 0, 0, 1]))
        #expect(found == [MetadataFormat.Value(key: 1, bytes: [7])])
    }
}

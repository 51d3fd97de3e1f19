import MediaTypes
import Testing

@testable import MovieFile

@Suite struct MovieMetadataTests {
    private func payload(_ items: [MetadataItem]) -> [UInt8] {
        var writer = AtomWriter()
        MovieMetadata.write(items, into: &writer)
        return Array(writer.bytes.dropFirst(8))
    }

    @Test func factsComeBackInOrder() {
        let items = [
            MetadataItem(key: MetadataItem.titleKey, value: "Frühstück 🥐"), MetadataItem(key: "a.b.c", value: ""),
            MetadataItem(key: MetadataItem.ledgerKey, value: #"{"video":{}}"#),
        ]
        #expect(MovieMetadata.read(payload(items)) == items)
        #expect(MovieMetadata.read(payload([])) == [])
    }

    @Test func everyTruncationGivesWhatIsWholeOrNothing() {
        let bytes = payload([MetadataItem(key: "one", value: "1"), MetadataItem(key: "two", value: "2")])
        for count in 0..<bytes.count { #expect(MovieMetadata.read(Array(bytes[..<count])).count <= 1) }
    }
}

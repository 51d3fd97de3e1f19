import MediaTypes
import Testing

/// Tests that one fact is found under the many keys that files use for it.
@Suite struct MetadataMeaningTests {
    @Test func meaning_differentKeys_isTheSame() {
        let titles = [
            MetadataItem(key: "title", value: ""), MetadataItem(key: "TITLE", value: ""),
            MetadataItem(key: "title-deu", value: ""), MetadataItem(key: "com.apple.quicktime.title", value: ""),
            MetadataItem(keySpace: .quickTimeUserData, key: "©nam", content: .text("")),
            MetadataItem(keySpace: .iTunes, key: "©nam", content: .text("")),
        ]
        #expect(Set(titles.map(\.meaning)) == ["title"])
        #expect(MetadataItem(key: MetadataItem.locationKey, value: "").meaning == "location")
        #expect(MetadataItem(key: "org.example.title", value: "").meaning == "org.example.title")
    }

    @Test func movieItems_dateWithTimeZone_isKept() {
        let items = MetadataItem.movieItems(fromStored: [
            MetadataItem(key: "creation_time", value: "2026-11-22T09:00:00.000000Z"),
            MetadataItem(key: MetadataItem.creationDateKey, value: "2026-11-22T10:00:00+0100"),
        ])
        #expect(items == [MetadataItem(key: MetadataItem.creationDateKey, value: "2026-11-22T10:00:00+0100")])
    }
}

import MediaTypes
import Testing

@testable import MovieFile

@Suite struct MovieMetadataTests {
    private func payload(_ items: [MetadataItem]) -> [UInt8] {
        var writer = AtomWriter()
        MovieMetadata.write(items, into: &writer)
        return Array(writer.bytes.dropFirst(8))
    }

    @Test func metadata_written_isReadBackInOrder() {
        let items = [
            MetadataItem(key: MetadataItem.titleKey, value: "Frühstück 🥐"), MetadataItem(key: "a.b.c", value: ""),
            MetadataItem(key: MetadataItem.ledgerKey, value: #"{"video":{}}"#),
        ]
        #expect(MovieMetadata.read(payload(items)) == items)
        #expect(MovieMetadata.read(payload([])) == [])
    }

    @Test func metadata_truncatedAnywhere_hasOnlyCompleteItems() {
        let bytes = payload([MetadataItem(key: "one", value: "1"), MetadataItem(key: "two", value: "2")])
        for count in 0..<bytes.count { #expect(MovieMetadata.read(Array(bytes[..<count])).count <= 1) }
    }

    private let all = [
        MetadataItem(key: "a.b", value: "1"),
        MetadataItem(keySpace: .quickTimeMetadata, key: "a.b", content: .text("eins"), language: "deu"),
        MetadataItem(keySpace: .quickTimeMetadata, key: "small", content: .integer(-3)),
        MetadataItem(keySpace: .quickTimeMetadata, key: "large", content: .integer(.min)),
        MetadataItem(keySpace: .quickTimeMetadata, key: "half", content: .float(0.5)),
        MetadataItem(keySpace: .quickTimeMetadata, key: "tenth", content: .float(0.1)),
        MetadataItem(keySpace: .quickTimeUserData, key: "©nam", content: .text("Titel"), language: "deu"),
        MetadataItem(keySpace: .quickTimeUserData, key: "©nam", content: .text("Title")),
        MetadataItem(keySpace: .quickTimeUserData, key: "©xyz", content: .text("+1+2/")),
        MetadataItem(keySpace: .iTunes, key: "©nam", content: .text("Titel")),
        MetadataItem(keySpace: .iTunes, key: "trkn", content: .integer(3)),
        MetadataItem(keySpace: .iTunes, key: "disk", content: .integer(1)),
        MetadataItem(keySpace: .iTunes, key: "covr", content: .jpeg([0xFF, 0xD8])),
        MetadataItem(keySpace: .iTunes, key: "com.example:take", content: .text("7")),
    ]

    private func movie(_ items: [MetadataItem], dialect: MovieDialect) throws -> Atom {
        var writer = AtomWriter()
        MovieHeader(
            dialect: dialect, timeScale: 600, creationTime: 0, metadata: items,
            tracks: [
                (MovieTrack(id: 1, mediaType: .text, format: .text(TextFormat()), timeScale: 600), 0)
            ]
        ).write(into: &writer)
        return try #require(Atom(parsing: writer.bytes))
    }

    @Test(arguments: [MovieDialect.quickTime, .mpeg4])
    func metadata_everyKind_isReadBack(dialect: MovieDialect) throws {
        let found = MovieMetadata.read(from: try movie(all, dialect: dialect))
        #expect(Set(found) == Set(all) && found.count == all.count)
        #expect(try movie([], dialect: dialect)["udta"] == nil)
    }

    @Test(arguments: [MovieDialect.quickTime, .mpeg4])
    func metadata_merged_replacesTheSameItemAndKeepsTheOthers(dialect: MovieDialect) throws {
        var moov = try movie(all, dialect: dialect)
        // An atom that another program may have put there.
        let other = AtomWriter.build("abcd") { $0.u32(77) }
        moov["udta"] = Atom("udta", bytes: other + (moov["udta"]?.payload ?? []))
        let news = [
            MetadataItem(key: "a.b", value: "2"), MetadataItem(key: "new", value: "3"),
            MetadataItem(keySpace: .iTunes, key: "©nam", content: .text("Anders")),
            MetadataItem(keySpace: .quickTimeUserData, key: "©nam", content: .text("Anders"), language: "deu"),
        ]
        MovieMetadata.merge(news, into: &moov)
        let found = MovieMetadata.read(from: moov)
        let kept = all.filter { old in !news.contains { $0.replaces(old) } }
        #expect(Set(found) == Set(kept + news) && found.count == kept.count + news.count)
        #expect(moov["udta"]?.payload.starts(with: other) == true)
        #expect(moov.all("udta").count == 1 && moov.all("meta").count == (dialect == .quickTime ? 1 : 0))
        // Merging the same items again changes nothing.
        let before = moov
        MovieMetadata.merge(news, into: &moov)
        #expect(moov == before)
        MovieMetadata.merge([], into: &moov)
        #expect(moov == before)
    }

    @Test func metadata_itemThatDoesNotFitItsKeySpace_isRefused() {
        func refusal(
            _ space: MetadataItem.KeySpace, _ key: String, _ content: MetadataItem.Content = .text("x"),
            language: String? = nil
        ) -> MediaError? {
            MovieMetadata.refusal(of: MetadataItem(keySpace: space, key: key, content: content, language: language))
        }
        #expect(refusal(.quickTimeMetadata, "") != nil && refusal(.quickTimeMetadata, "x") == nil)
        for key in ["nam", "name", "©na", "©name", "©終わり"] { #expect(refusal(.quickTimeUserData, key) != nil) }
        #expect(refusal(.quickTimeUserData, "©nam") == nil && refusal(.quickTimeUserData, "©nam", .png([])) != nil)
        #expect(refusal(.iTunes, "") != nil && refusal(.iTunes, "covr", .png([])) == nil)
        #expect(refusal(.quickTimeMetadata, "x", language: "german")?.code == .invalidSettings)
    }

    @Test func metadata_noise_neverCrashes() {
        for seed in 1...300 as ClosedRange<UInt64> {
            let noise = SyntheticNoise.bytes(200, seed: seed)
            let list = AtomWriter.build("ilst") { list in
                list.atom("----") { $0.raw(noise) }
                list.atom("trkn") { $0.raw(noise.prefix(24)) }
                list.atom("gnre") { entry in entry.atom("data") { $0.raw(noise.prefix(Int(seed) % 30)) } }
            }
            var moov = Atom(
                "moov",
                children: [
                    Atom("meta", bytes: noise),
                    Atom("udta", bytes: AtomWriter.build("meta") { $0.raw(list) } + noise),
                    Atom("udta", bytes: AtomWriter.build(FourCharCode(rawValue: 0xA96E_616D)) { $0.raw(noise) }),
                ])
            _ = MovieMetadata.read(from: moov)
            MovieMetadata.merge([MetadataItem(key: "a", value: "b")], into: &moov)
            #expect(MovieMetadata.read(from: moov).contains { $0.key == "a" })
        }
    }
}

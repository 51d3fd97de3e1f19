import AVFoundation
import Foundation
import TestSupport
import Testing

@Suite struct AVMetadataItemTests {
    private static func item(
        _ identifier: AVMetadataIdentifier, _ value: any NSCopying & NSObjectProtocol, _ tag: String? = nil
    )
        -> AVMutableMetadataItem
    {
        let item = AVMutableMetadataItem()
        item.identifier = identifier
        item.value = value
        item.extendedLanguageTag = tag
        return item
    }

    // MARK: Keys

    @Test func identifier_andKey_convertToEachOther() throws {
        let item = AVMutableMetadataItem()
        item.keySpace = .iTunes
        #expect(item.identifier == nil)
        item.key = AVMetadataKey.iTunesMetadataKeySongName as any NSCopying & NSObjectProtocol
        #expect(item.identifier == .iTunesMetadataSongName && item.commonKey == .commonKeyTitle)
        item.identifier = .quickTimeMetadataTitle
        #expect(
            item.keySpace == .quickTimeMetadata && item.key?.isEqual("com.apple.quicktime.title" as NSString) == true)
        item.identifier = AVMetadataItem.identifier(forKey: "a b/ü%", keySpace: .quickTimeMetadata)
        #expect(item.identifier?.rawValue == "mdta/a%20b%2F%C3%BC%25")
        #expect(item.key?.isEqual("a b/ü%" as NSString) == true)
        item.identifier = nil
        #expect(item.key == nil && item.keySpace == nil && item.commonKey == nil)
        let code = AVMetadataItem.identifier(forKey: NSNumber(value: 0xA96E_616D as UInt32), keySpace: .iTunes)
        #expect(code == .iTunesMetadataSongName)
        #expect(AVMetadataItem.keySpace(forIdentifier: .id3MetadataTitleDescription) == .id3)
        #expect(AVMetadataItem.identifier(forKey: "TIT2", keySpace: .id3) == .id3MetadataTitleDescription)
        #expect(AVMetadataItem.key(forIdentifier: .iTunesMetadataSongName) as? NSString == "©nam")
        #expect(AVMetadataItem.keySpace(forIdentifier: AVMetadataIdentifier(rawValue: "nothing")) == nil)
        #expect(AVMetadataItem.identifier(forKey: "", keySpace: .iTunes) == nil)
        #expect(AVMetadataItem.identifier(forKey: [1], keySpace: .iTunes) == nil)
    }

    // MARK: Values

    @Test func value_isReturnedInEachAvailableType() async throws {
        let text = Self.item(.commonIdentifierTitle, "3/12" as NSString)
        #expect(text.stringValue == "3/12" && text.numberValue == 3 && text.dateValue == nil)
        #expect(text.dataValue == Data("3/12".utf8) && text.dataType == kCMMetadataBaseDataType_UTF8)
        let number = Self.item(.commonIdentifierTitle, NSNumber(value: 2.5))
        #expect(
            number.stringValue == "2.5" && number.numberValue == 2.5
                && number.dataType == kCMMetadataBaseDataType_Float64)
        let date = Self.item(.commonIdentifierCreationDate, "2024-06-01T12:00:00+0200" as NSString)
        #expect(date.dateValue == Date(timeIntervalSince1970: 1_717_236_000))
        #expect(Self.item(.commonIdentifierCreationDate, "1999" as NSString).dateValue != nil)
        let png = Data([0x89, 0x50, 0x4E, 0x47, 1])
        let frame = Self.item(.commonIdentifierArtwork, NSData(data: png))
        #expect(
            frame.dataValue == png && frame.stringValue == nil && frame.dataType == kCMMetadataBaseDataType_PNG)
        #expect(try await text.load(.stringValue) == "3/12")
        #expect(try await frame.load(.dataValue) == png)
        #expect(try await number.load(.numberValue) == 2.5)
        #expect(try await date.load(.dateValue) != nil)
        #expect(try await text.load(.value)?.isEqual("3/12" as NSString) == true)
        text.extraAttributes = [.info: "x"]
        #expect(try await text.load(.extraAttributes)?.count == 1)
        text.value = nil
        #expect(text.stringValue == nil && text.dataType == nil)
        #expect(text.statusOfValue(forKey: "value", error: nil) == .loaded)
    }

    @Test func deferredValue_loadedTwice_isRequestedOnce() async throws {
        let (title, calls) = (Self.item(.commonIdentifierTitle, "no" as NSString), Counter())
        let item = AVMetadataItem(propertiesOf: title) { request in
            calls.add()
            #expect(request.metadataItem?.identifier == .commonIdentifierTitle)
            DispatchQueue.global().async {
                request.respond(value: "yes" as NSString)
                request.respond(value: "later" as NSString)
            }
        }
        #expect(
            item.identifier == .commonIdentifierTitle && item.statusOfValue(forKey: "value", error: nil) == .unknown)
        #expect(try await item.load(.stringValue) == "yes" && item.stringValue == "yes" && calls.count == 1)
        #expect(item.statusOfValue(forKey: "value", error: nil) == .loaded)
        let failing = AVMetadataItem(propertiesOf: title) { $0.respond(error: AVError(.contentIsUnavailable)) }
        let error = await #expect(throws: AVError.self) { try await failing.load(.value) }
        #expect(error?.code == .contentIsUnavailable && failing.value == nil)
        var told: NSError?
        #expect(
            failing.statusOfValue(forKey: "value", error: &told) == .failed && told?.domain == AVFoundationErrorDomain)
        let gate = Gate()
        title.loadValuesAsynchronously(forKeys: ["value"]) { gate.open() }
        #expect(try await onThread { gate.wait() })
    }

    @Test func copy_ofAnItem_isEqualAndIndependent() throws {
        let item = Self.item(.commonIdentifierTitle, "a" as NSString, "de")
        (item.time, item.duration) = (seconds(1), seconds(2))
        let copy = try #require(item.copy() as? AVMetadataItem)
        #expect(copy == item && !(copy is AVMutableMetadataItem) && copy.hash == item.hash)
        item.value = "b" as NSString
        #expect(copy != item && copy.stringValue == "a" && copy.time == seconds(1) && copy.duration == seconds(2))
        let mutable = try #require(copy.mutableCopy() as? AVMutableMetadataItem)
        mutable.locale = Locale(identifier: "fr_FR")
        mutable.startDate = Date(timeIntervalSince1970: 1)
        mutable.dataType = kCMMetadataBaseDataType_UTF16
        #expect(mutable.locale?.identifier == "fr_FR" && mutable.dataType == kCMMetadataBaseDataType_UTF16)
        #expect(mutable.startDate != nil && copy.startDate == nil && copy.locale?.identifier == "de")
    }

    // MARK: Filtering

    @Test func metadataItems_areFoundByKeyIdentifierAndLanguage() {
        let items = [
            Self.item(.quickTimeMetadataTitle, "Titel" as NSString, "de-CH"),
            Self.item(.iTunesMetadataSongName, "Title" as NSString, "en"),
            Self.item(.quickTimeMetadataArtist, "singer" as NSString),
            Self.item(.quickTimeMetadataLocationISO6709, "+47+8/" as NSString),
        ]
        func words(_ found: [AVMetadataItem]) -> [String] { found.compactMap(\.stringValue) }
        #expect(
            words(AVMetadataItem.metadataItems(from: items, filteredByIdentifier: .commonIdentifierTitle)) == [
                "Titel", "Title",
            ])
        #expect(
            words(AVMetadataItem.metadataItems(from: items, filteredByIdentifier: .iTunesMetadataSongName)) == ["Title"]
        )
        #expect(
            words(AVMetadataItem.metadataItems(from: items, withKey: AVMetadataKey.commonKeyTitle, keySpace: .common))
                == ["Titel", "Title"])
        #expect(words(AVMetadataItem.metadataItems(from: items, withKey: nil, keySpace: .iTunes)) == ["Title"])
        #expect(words(AVMetadataItem.metadataItems(from: items, withKey: "©nam", keySpace: nil)) == ["Title"])
        #expect(
            words(
                AVMetadataItem.metadataItems(
                    from: items, filteredAndSortedAccordingToPreferredLanguages: ["en-GB", "de"]))
                == ["Title", "Titel", "singer", "+47+8/"])
        #expect(
            words(AVMetadataItem.metadataItems(from: items, filteredAndSortedAccordingToPreferredLanguages: ["fr"]))
                == ["singer", "+47+8/"])
        #expect(words(AVMetadataItem.metadataItems(from: items, with: Locale(identifier: "en"))) == ["Title"])
        #expect(!words(AVMetadataItem.metadataItems(from: items, filteredBy: .forSharing())).contains("+47+8/"))
    }

    // MARK: Files

    @Test(arguments: [AVFileType.mov, .mp4]) func metadata_writtenByFFmpeg_isReadByCommonKeys(type: AVFileType)
        async throws
    {
        let movies = try MadeMovies()
        let name = type == .mov ? "tagged.mov" : "tagged.mp4"
        let url = try movies.movie(
            name, seconds: 1,
            ["-metadata", "title=A title", "-metadata", "artist=A Singer", "-metadata", "date=2024-05-01"])
        let asset = AVURLAsset(url: url)
        let all = try await asset.load(.metadata)
        let titles = AVMetadataItem.metadataItems(from: all, filteredByIdentifier: .commonIdentifierTitle)
        #expect(titles.first?.stringValue == "A title")
        #expect(titles.first?.keySpace == (type == .mov ? .quickTimeUserData : .iTunes))
        let common = try await asset.load(.commonMetadata)
        #expect(common.contains { $0.identifier == .commonIdentifierArtist && $0.stringValue == "A Singer" })
        let format: AVMetadataFormat = type == .mov ? .quickTimeUserData : .iTunesMetadata
        #expect(try await asset.load(.availableMetadataFormats).contains(format))
        #expect(
            try await asset.loadMetadata(for: format).isEmpty == false
                && asset.metadata(forFormat: .id3Metadata).isEmpty)
        #expect(asset.metadata.count == all.count && asset.commonMetadata.count == common.count)
    }

    @Test(arguments: [AVFileType.mov, .mp4]) func metadata_writtenAndRead_isUnchanged(type: AVFileType) async throws {
        let movies = try MadeMovies()
        let source = AVURLAsset(url: try movies.movie(seconds: 1))
        let png = try Data(
            contentsOf: MadeFile.of(
                ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "color=red:s=16x16", "-frames:v", "1"],
                ending: "png"))
        let items = [
            Self.item(.commonIdentifierTitle, "Der Titel" as NSString),
            Self.item(.commonIdentifierArtist, "Wer" as NSString),
            Self.item(.commonIdentifierDescription, "Worum" as NSString),
            Self.item(AVMetadataIdentifier(rawValue: "mdta/com.example.number"), NSNumber(value: 42)),
            Self.item(.id3MetadataAlbumTitle, "Album" as NSString),
            Self.item(.commonIdentifierArtwork, NSData(data: png)),
        ].compactMap { $0.copy() as? AVMetadataItem }
        let target = movies.directory.file(type == .mov ? "out.mov" : "out.mp4")
        let session = try await CompositionJudge.export(
            source, to: target, preset: AVAssetExportPresetPassthrough, as: type
        ) { $0.metadata = items }
        #expect(session.status == .completed, "\(String(describing: session.error))")
        let read = try await AVURLAsset(url: target).load(.metadata)
        func value(_ identifier: AVMetadataIdentifier) -> String? {
            AVMetadataItem.metadataItems(from: read, filteredByIdentifier: identifier).first?.stringValue
        }
        #expect(value(.commonIdentifierTitle) == "Der Titel" && value(.commonIdentifierArtist) == "Wer")
        #expect(
            value(.commonIdentifierDescription) == "Worum" && value(.commonIdentifierAlbumName) == "Album", "\(read)")
        #expect(read.first { $0.identifier?.rawValue == "mdta/com.example.number" }?.numberValue == 42)
        let tags = try #require(try Probe(target.path).format.tags)
        #expect((tags["title"] ?? tags["com.apple.quicktime.title"]) == "Der Titel")
    }

    @Test func chapters_areGroupsWithATitle() async throws {
        let movies = try MadeMovies()
        let list = movies.directory.file("chapters.txt")
        try """
        ;FFMETADATA1
        [CHAPTER]
        TIMEBASE=1/1000
        START=0
        END=500
        title=One
        [CHAPTER]
        TIMEBASE=1/1000
        START=500
        END=1000
        title=Two

        """.write(to: list, atomically: true, encoding: .utf8)
        let (source, target) = (try movies.movie(seconds: 1), movies.directory.file("chapters.mp4"))
        let made = try Command.run([
            "ffmpeg", "-v", "error", "-i", source.path, "-i", list.path, "-map_metadata", "1", "-c", "copy",
            target.path,
        ])
        try #require(made.status == 0, "\(made.errors)")
        let asset = AVURLAsset(url: target)
        let groups = try await asset.loadChapterMetadataGroups(bestMatchingPreferredLanguages: ["en"])
        #expect(groups.map { $0.items.first?.stringValue } == ["One", "Two"])
        #expect(groups.map { $0.timeRange.start.seconds } == [0, 0.5])
        #expect(asset.availableChapterLocales.count == 1)
        #expect(asset.chapterMetadataGroups(withTitleLocale: Locale(identifier: "und")).count == 2)
        let plain = AVURLAsset(url: source)
        #expect(try await plain.load(.availableChapterLocales).isEmpty)
    }

    @Test func copy_ofAMetadataGroup_isEqualAndIndependent() throws {
        let item = Self.item(.commonIdentifierTitle, "a" as NSString)
        let group = AVMutableTimedMetadataGroup(items: [item], timeRange: range(0, 1))
        let copy = try #require(group.copy() as? AVTimedMetadataGroup)
        #expect(copy == group)
        group.timeRange = range(1, 2)
        group.items = []
        #expect(copy.items == [item] && copy.timeRange == range(0, 1) && copy != group && group.items.isEmpty)
        let dates = AVMutableDateRangeMetadataGroup(items: [item], start: Date(timeIntervalSince1970: 0), end: nil)
        let frozen = try #require(dates.copy() as? AVDateRangeMetadataGroup)
        dates.endDate = Date(timeIntervalSince1970: 9)
        #expect(frozen.endDate == nil && dates.endDate != nil && frozen.items == [item])
    }
}

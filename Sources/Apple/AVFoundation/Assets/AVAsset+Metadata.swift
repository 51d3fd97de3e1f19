import AssetIO
public import Foundation
import MediaTypes

extension AVAsset {
    func metadata(for key: String) -> [AVMetadataItem] { read(key) { try loadedMetadata() } ?? [] }
    /// The items that have a common key, with their common identifiers.
    public var commonMetadata: [AVMetadataItem] { metadata(for: "commonMetadata").compactMap(\.asCommon) }
    public var availableMetadataFormats: [AVMetadataFormat] {
        AVMetadataFormat.of(metadata(for: "availableMetadataFormats"))
    }
    public func metadata(forFormat format: AVMetadataFormat) -> [AVMetadataItem] { metadata.filter(format.holds) }
    public func loadMetadata(for format: AVMetadataFormat) async throws -> [AVMetadataItem] {
        try await load(.metadata).filter(format.holds)
    }
    @preconcurrency
    public func loadMetadata(
        for format: AVMetadataFormat, completionHandler: @escaping @Sendable ([AVMetadataItem]?, (any Error)?) -> Void
    ) {
        OffPool.queue.async {
            do {
                completionHandler(try self.loadedMetadata().filter(format.holds), nil)
            } catch { completionHandler(nil, AVError.of(error)) }
        }
    }
    public var lyrics: String? {
        metadata(for: "lyrics").first { $0.identifier == .iTunesMetadataLyrics }?.stringValue
    }

    /// The creation date: a common item with a date as its value.
    public var creationDate: AVMetadataItem? {
        Self.item(value(.creationDate, or: nil, for: "creationDate"))
    }

    static func item(_ date: Date?) -> AVMetadataItem? {
        guard let date else { return nil }
        let item = AVMutableMetadataItem()
        item.identifier = .commonIdentifierCreationDate
        item.value = date._bridgeToObjectiveC()
        return item.copy() as? AVMetadataItem
    }

    // MARK: Chapters

    /// The locales of the chapter titles. Only the undetermined locale if there are chapters, otherwise empty.
    public var availableChapterLocales: [Locale] {
        value(.chapters, or: [], for: "availableChapterLocales").isEmpty ? [] : [Locale(identifier: "und")]
    }

    /// Returns one group for each chapter, with its title.
    public func chapterMetadataGroups(bestMatchingPreferredLanguages preferredLanguages: [String])
        -> [AVTimedMetadataGroup]
    {
        chapterGroups((try? engine.loadNow(.chapters)) ?? [])
    }
    public func chapterMetadataGroups(
        withTitleLocale locale: Locale, containingItemsWithCommonKeys commonKeys: [AVMetadataKey]? = nil
    ) -> [AVTimedMetadataGroup] {
        chapterGroups((try? engine.loadNow(.chapters)) ?? [])
    }
    public func loadChapterMetadataGroups(
        bestMatchingPreferredLanguages preferredLanguages: [String]
    ) async throws -> [AVTimedMetadataGroup] {
        do { return chapterGroups(try await engine.load(.chapters)) } catch { throw AVError.of(error) }
    }
    public func loadChapterMetadataGroups(
        withTitleLocale locale: Locale, containingItemsWithCommonKeys commonKeys: [AVMetadataKey] = []
    ) async throws -> [AVTimedMetadataGroup] {
        do { return chapterGroups(try await engine.load(.chapters)) } catch { throw AVError.of(error) }
    }

    @preconcurrency
    public func loadChapterMetadataGroups(
        bestMatchingPreferredLanguages preferredLanguages: [String],
        completionHandler: @escaping @Sendable ([AVTimedMetadataGroup]?, (any Error)?) -> Void
    ) {
        OffPool.queue.async {
            do {
                completionHandler(self.chapterGroups(try self.engine.loadNow(.chapters)), nil)
            } catch { completionHandler(nil, AVError.of(error)) }
        }
    }

    private func chapterGroups(_ chapters: [AssetChapter]) -> [AVTimedMetadataGroup] {
        chapters.map { chapter in
            let (title, range) = (AVMutableMetadataItem(), CMTimeRange(chapter.timeRange))
            title.identifier = .commonIdentifierTitle
            title.value = NSString(string: chapter.title)
            (title.time, title.duration) = (range.start, range.duration)
            return AVTimedMetadataGroup(items: [title], timeRange: range)
        }
    }
}

extension AVPartialAsyncProperty where Root: AVAsset {
    public static var metadata: AVAsyncProperty<Root, [AVMetadataItem]> {
        .init("metadata") { try $0.loadedMetadata() }
    }
    public static var commonMetadata: AVAsyncProperty<Root, [AVMetadataItem]> {
        .init("commonMetadata") { try $0.loadedMetadata().compactMap(\.asCommon) }
    }
    public static var availableMetadataFormats: AVAsyncProperty<Root, [AVMetadataFormat]> {
        .init("availableMetadataFormats") { AVMetadataFormat.of(try $0.loadedMetadata()) }
    }
    public static var lyrics: AVAsyncProperty<Root, String?> {
        .init("lyrics") { asset in
            try asset.loadedMetadata().first { $0.identifier == .iTunesMetadataLyrics }?.stringValue
        }
    }
    public static var creationDate: AVAsyncProperty<Root, AVMetadataItem?> {
        .init("creationDate") { AVAsset.item(try $0.engine.loadNow(.creationDate)) }
    }
    public static var availableChapterLocales: AVAsyncProperty<Root, [Locale]> {
        .init("availableChapterLocales") { asset in
            _ = try asset.engine.loadNow(.chapters)
            return asset.availableChapterLocales
        }
    }
}

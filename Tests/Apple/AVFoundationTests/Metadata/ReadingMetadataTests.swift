import AVFoundation
import Foundation
import TestSupport
import Testing

/// Tests that read metadata as AVFoundation's guide does: by format, by identifier, and by chapter.
@Suite struct ReadingMetadataTests {
    /// A movie with text metadata and two chapters.
    private func movie(_ movies: MadeMovies) throws -> URL {
        let list = movies.directory.file("chapters.txt")
        try """
        ;FFMETADATA1
        title=Holiday
        artist=A Singer
        [CHAPTER]
        TIMEBASE=1/1000
        START=0
        END=500
        title=Arriving
        [CHAPTER]
        TIMEBASE=1/1000
        START=500
        END=1000
        title=Leaving

        """.write(to: list, atomically: true, encoding: .utf8)
        let target = movies.directory.file("guide.mp4")
        let made = try Command.run([
            "ffmpeg", "-v", "error", "-i", try movies.movie(seconds: 1).path, "-i", list.path, "-map_metadata", "1",
            "-c", "copy", target.path,
        ])
        try #require(made.status == 0, "\(made.errors)")
        return target
    }

    @Test func guideListing_everyMetadataFormat_findsTheTitle() async throws {
        let movies = try MadeMovies()
        let asset = AVURLAsset(url: try movie(movies))
        var all: [AVMetadataItem] = []
        for format in try await asset.load(.availableMetadataFormats) {
            all += try await asset.loadMetadata(for: format)
        }
        #expect(try await all.count == asset.load(.metadata).count && !all.isEmpty)
        let titles = AVMetadataItem.metadataItems(from: all, filteredByIdentifier: .commonIdentifierTitle)
        let item = try #require(titles.first)
        #expect(try await item.load(.value) is NSString)
        #expect(try await item.load(.stringValue) == "Holiday")
        let artists = AVMetadataItem.metadataItems(
            from: try await asset.load(.commonMetadata), withKey: AVMetadataKey.commonKeyArtist, keySpace: .common)
        #expect(try await artists.first?.load(.stringValue) == "A Singer")
    }

    @Test func guideListing_chapters_areListed() async throws {
        struct Chapter: Equatable {
            var title: String
            var start: Double
            var end: Double
        }
        let movies = try MadeMovies()
        let asset = AVURLAsset(url: try movie(movies))
        var chapters: [Chapter] = []
        let languages = Locale.preferredLanguages
        for group in try await asset.loadChapterMetadataGroups(bestMatchingPreferredLanguages: languages) {
            let titles = AVMetadataItem.metadataItems(from: group.items, filteredByIdentifier: .commonIdentifierTitle)
            let title = try await titles.first?.load(.stringValue) ?? ""
            chapters.append(
                Chapter(title: title, start: group.timeRange.start.seconds, end: group.timeRange.end.seconds))
        }
        #expect(
            chapters == [Chapter(title: "Arriving", start: 0, end: 0.5), Chapter(title: "Leaving", start: 0.5, end: 1)])
    }
}

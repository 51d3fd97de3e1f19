import AVFoundation
import Foundation
import TestSupport
import Testing

/// Tests of edited headers of movie files, judged by ffprobe.
@Suite(.timeLimit(.minutes(10))) struct AVMutableMovieTests {
    /// A movie with a header of this library.
    private func movie(_ movies: MadeMovies, _ name: String = "movie.mov") async throws -> URL {
        let source = try movies.movie("source.mov", seconds: 1)
        let url = movies.directory.file(name)
        let session = try #require(
            AVAssetExportSession(asset: AVURLAsset(url: source), presetName: AVAssetExportPresetPassthrough))
        try await session.export(to: url, as: .mov)
        return url
    }

    private func packets(_ url: URL) throws -> String {
        let result = try Command.run([
            "ffmpeg", "-v", "error", "-i", url.path, "-map", "0", "-c", "copy", "-f", "streamhash", "-",
        ])
        return result.text + result.errors
    }

    @Test func movie_metadata_isWrittenIntoItsFile() async throws {
        let movies = try MadeMovies()
        let url = try await movie(movies)
        let before = try packets(url)
        let edited = try AVMutableMovie(url: url, options: nil, error: ())
        #expect(edited.url == url)
        let title = AVMutableMetadataItem()
        title.identifier = .quickTimeMetadataTitle
        title.value = "Edited" as NSString
        edited.metadata = edited.metadata.filter { $0.identifier != .quickTimeMetadataTitle } + [title]
        try edited.writeHeader(to: url, fileType: .mov, options: .addMovieHeaderToDestination)
        #expect(try MadeMovies.probe(url, "v:0", "format_tags=com.apple.quicktime.title") == "Edited")
        #expect(try packets(url) == before)
        let again = try AVMutableMovie(url: url, error: ())
        #expect(again.metadata.contains { $0.stringValue == "Edited" })
        again.metadata = again.metadata.filter { $0.identifier != .quickTimeMetadataTitle }
        try again.writeHeader(to: url, fileType: .mov)
        #expect(try MadeMovies.probe(url, "v:0", "format_tags=com.apple.quicktime.title").isEmpty)
    }

    @Test func track_properties_areWrittenIntoTheHeader() async throws {
        let movies = try MadeMovies()
        // Also in a file of another program.
        let url = try movies.movie("ffmpeg.mov", seconds: 1)
        let before = try packets(url)
        let movie = try AVMutableMovie(url: url, error: ())
        let video = try #require(movie.tracks(withMediaType: .video).first)
        let audio = try #require(movie.tracks.first { $0.mediaType == .audio })
        #expect(movie.tracks.count == 2 && movie.track(withTrackID: video.trackID) === video)
        audio.isEnabled = false
        audio.languageCode = "ita"
        audio.extendedLanguageTag = "it-CH"
        audio.alternateGroupID = 3
        video.preferredTransform = CGAffineTransform(a: 0, b: 1, c: -1, d: 0, tx: 120, ty: 0)
        #expect(!audio.isEnabled && audio.languageCode == "ita" && audio.alternateGroupID == 3)
        try movie.writeHeader(to: url, fileType: .mov, options: .addMovieHeaderToDestination)
        #expect(try MadeMovies.probe(url, "a:0", "stream_disposition=default:stream_tags=language") == "0\nita")
        #expect(try MadeMovies.probe(url, "v:0", "stream_side_data=rotation").contains("-90"))
        #expect(try packets(url) == before)
        let (found, group) = try await onThread {
            let tracks = AVMovie(url: url).tracks
            let audio = try #require(tracks.first { $0.mediaType == .audio })
            return (audio.extendedLanguageTag, audio.alternateGroupID)
        }
        #expect(found == "it-CH" && group == 3)
    }

    @Test func writeHeader_elsewhereOrInvalid_changesNothing() async throws {
        let movies = try MadeMovies()
        let url = try await movie(movies)
        let other = movies.directory.file("other.mov")
        try FileManager.default.copyItem(at: url, to: other)
        let bytes = try Data(contentsOf: url)
        let movie = try AVMutableMovie(url: url, error: ())
        let track = try #require(movie.tracks.first)
        track.alternateGroupID = 5
        #expect(throws: AVError.self) { try movie.writeHeader(to: other, fileType: .mov) }
        #expect(throws: AVError.self) { try movie.writeHeader(to: url, fileType: .mp4) }
        #expect(throws: AVError.self) {
            try movie.writeHeader(to: url, fileType: .mov, options: .truncateDestinationToMovieHeaderOnly)
        }
        track.languageCode = "no language"
        #expect(throws: AVError.self) { try movie.writeHeader(to: url, fileType: .mov) }
        #expect(try Data(contentsOf: url) == bytes && Data(contentsOf: other) == bytes)
    }

    /// Items of another program, which its file has in several places.
    @Test func movie_itemThatIsSetAgain_keepsItsForm() async throws {
        let movies = try MadeMovies()
        let url = try movies.movie(
            "tagged.mov", seconds: 1,
            ["-movflags", "use_metadata_tags", "-metadata", "com.example.note=Zürich", "-metadata", "title=Old"])
        let movie = try AVMutableMovie(url: url, error: ())
        let before = movie.metadata
        #expect(before.count >= 2)
        let title = AVMutableMetadataItem()
        title.identifier = .quickTimeMetadataTitle
        title.value = "Edited" as NSString
        movie.metadata = before + [title]
        try movie.writeHeader(to: url, fileType: .mov)
        let after = try AVMutableMovie(url: url, error: ()).metadata
        #expect(before.allSatisfy { item in after.contains { $0.isEqual(item) } } && after.count == before.count + 1)
        #expect(try MadeMovies.probe(url, "v:0", "format_tags=com.example.note") == "Zürich")
    }

    @Test func movie_missingOrNoMovie_throws() throws {
        let directory = try TemporaryDirectory()
        let text = directory.file("text.mov")
        try Data("no movie at all".utf8).write(to: text)
        for url in [directory.file("missing.mov"), directory.url, text, URL(string: "https://example.com/movie.mov")!] {
            #expect(throws: AVError.self) { _ = try AVMutableMovie(url: url, error: ()) }
        }
    }
}

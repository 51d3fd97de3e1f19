import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO
@testable import MovieFile

/// Tests of the sizes in a track's header, and of its table of sample descriptions.
@Suite struct TrackDescriptionTests {
    /// Changes the header of a movie whose header is stored after its media.
    private func change(_ url: URL, _ edit: (inout Atom) throws -> Void) throws {
        var bytes = [UInt8](try Data(contentsOf: url))
        var offset = 0
        while offset + 8 <= bytes.count {
            let size = bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
            if Array(bytes[(offset + 4)..<(offset + 8)]) == Array("moov".utf8) {
                try #require(offset + size == bytes.count)
                var moov = try #require(Atom(parsing: bytes[offset...]))
                try edit(&moov)
                var writer = AtomWriter()
                moov.write(into: &writer)
                bytes.replaceSubrange(offset..., with: writer.bytes)
                try Data(bytes).write(to: url)
                return
            }
            offset += size
        }
        Issue.record("there is no header")
    }

    private func table(_ url: URL, _ track: Int) throws -> [UInt8] {
        var payload: [UInt8] = []
        try change(url) { moov in
            payload = try #require(moov.all("trak")[track].find("mdia", "minf", "stbl", "stsd")?.payload)
        }
        return payload
    }

    /// Adds the only entry of another table to a track's table.
    private func add(_ other: [UInt8], to track: Int, of url: URL) throws {
        try change(url) { moov in
            let places = moov.children.indices.filter { moov.children[$0].type == "trak" }
            var trak = moov.children[places[track]]
            var mdia = try #require(trak["mdia"])
            var minf = try #require(mdia["minf"])
            var stbl = try #require(minf["stbl"])
            var stsd = try #require(stbl["stsd"]).payload
            stsd.replaceSubrange(4..<8, with: [0, 0, 0, 2])
            stbl["stsd"] = Atom("stsd", bytes: stsd + other[8...])
            minf["stbl"] = stbl
            mdia["minf"] = minf
            trak["mdia"] = mdia
            moov.children[places[track]] = trak
        }
    }

    @Test(arguments: ["mov", "mp4"]) func track_severalSampleDescriptions_listsEachFormat(_ container: String)
        async throws
    {
        let fixture = try ReadingFixture()
        let video = ["-c:v", "libx264", "-pix_fmt", "yuv420p"]
        let movie = try fixture.make(
            "movie.\(container)", ["testsrc2=s=128x96:d=1", "sine=r=48000:d=1"], video + ["-c:a", "aac"])
        let other = try fixture.make(
            "other.\(container)", ["testsrc2=s=64x48:d=1", "sine=r=44100:d=1"],
            ["-c:v", "mpeg4", "-c:a", "aac", "-ac", "2"])
        let before = try await Asset(url: movie).load(.tracks)
        #expect(before.allSatisfy { $0.formatDescriptions == [$0.formatDescription] })
        let expected = try await Asset(url: other).load(.tracks)
        for track in 0..<2 { try add(try table(other, track), to: track, of: movie) }
        let tracks = try await Asset(url: movie).load(.tracks)
        for track in tracks {
            try #require(track.formatDescriptions.count == 2)
            #expect(track.formatDescriptions[0] == track.formatDescription)
        }
        let (frame, wantedFrame) = (
            try #require(tracks[0].formatDescriptions[1].video), try #require(expected[0].formatDescription?.video)
        )
        #expect(frame.codec == wantedFrame.codec && frame.width == 64 && frame.height == 48)
        #expect(frame.decoderConfiguration == wantedFrame.decoderConfiguration && frame.codecTag == "mp4v")
        let (audio, wantedAudio) = (
            try #require(tracks[1].formatDescriptions[1].audio), try #require(expected[1].formatDescription?.audio)
        )
        #expect(audio.codec == .aac && audio.sampleRate == 44_100 && audio.channelCount == 2)
        #expect(audio.decoderConfiguration == wantedAudio.decoderConfiguration && !audio.decoderConfiguration.isEmpty)
    }

    @Test func storedDescription_truncatedTable_neverCrashes() throws {
        let fixture = try ReadingFixture()
        let movie = try fixture.movie()
        for (track, type) in [(0, MediaType.video), (1, .audio)] {
            let whole = try table(movie, track)
            #expect(StoredDescription.all(in: whole, mediaType: type).count == 1)
            for count in 0..<whole.count {
                #expect(StoredDescription.all(in: Array(whole.prefix(count)), mediaType: type).isEmpty)
            }
            // False lengths.
            for place in 8..<whole.count {
                var bytes = whole
                bytes[place] = 255
                #expect(StoredDescription.all(in: bytes, mediaType: type).count <= 1)
            }
        }
        #expect(StoredDescription.all(in: [0, 0, 0, 0, 255, 255, 255, 255], mediaType: .video).isEmpty)
    }

    @Test func track_naturalSize_isTheHeadersSize() async throws {
        let fixture = try WriterFixture()
        let video = try AssetWriterInput(
            mediaType: .video,
            outputSettings: .video(VideoSettings(width: 64, height: 48, pixelAspectRatio: Ratio(4, 3))))
        try video.configure {
            $0.expectsMediaDataInRealTime = true
            $0.naturalSize = CGSize(width: 200.5, height: 100)
        }
        let second = try AssetWriterInput(
            mediaType: .video,
            outputSettings: .video(VideoSettings(width: 64, height: 48, pixelAspectRatio: Ratio(5, 4))))
        try second.configure { $0.expectsMediaDataInRealTime = true }
        for input in [video, second] { try fixture.writer.add(input) }
        try fixture.begin()
        for input in [video, second] { try fixture.appendFrames(0..<5, to: input) }
        try await fixture.writer.finishWriting()
        let asset = Asset(url: fixture.writer.outputURL)
        let tracks = try await asset.tracks(withMediaType: .video)
        #expect(tracks.map(\.naturalSize) == [CGSize(width: 200.5, height: 100), CGSize(width: 80, height: 48)])
        #expect(tracks.allSatisfy { $0.codedSize == CGSize(width: 64, height: 48) })
        // A copy of the stored samples keeps the chosen size.
        let copy = fixture.directory.file("copy.mov")
        try await ExportSession(asset: asset, preset: .passthrough).export(to: copy)
        let copied = try #require(try await Asset(url: copy).tracks(withMediaType: .video).first)
        #expect(copied.naturalSize == CGSize(width: 200.5, height: 100))
    }
}

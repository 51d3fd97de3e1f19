import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of `Composition.joining`, which puts files one after the other.
@Suite struct CompositionJoiningTests {
    private typealias Fixture = CompositionFixture

    @Test func joining_tracksOfUnequalLength_startsTheNextAfterTheLonger() async throws {
        let fixture = try CompositionFixture()
        let longAudio = Asset(
            url: try fixture.files.make(
                "a.mov", ["testsrc2=s=128x96:r=30:d=1", "sine=frequency=440:sample_rate=48000:duration=1.5"],
                ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "pcm_s16le"]))
        let silent = try fixture.silentMovie("b.mov")
        let audioOnly = try fixture.audio("c.wav", "0.2*sin(2*PI*440*t):d=1")
        let joined = try await Composition.joining([longAudio, silent, audioOnly, silent])
        #expect(joined.duration == Fixture.time(45, 10))
        func list(_ type: MediaType) -> [[Double]] {
            joined.tracks.first { $0.mediaType == type }?.segments.filter { $0.source != nil }.map {
                [$0.timeRange.start.seconds, $0.timeRange.end.seconds]
            } ?? []
        }
        #expect(list(.video) == [[0, 1], [1.5, 2.5], [3.5, 4.5]])
        #expect(list(.audio) == [[0, 1.5], [2.5, 3.5]])
        let blocks = try await AssetReader.samples(Asset(joined), .audio, .pcm(.s16))
        #expect(blocks.holes == [Fixture.time(5, 2)])
        #expect(blocks.reduce(0) { $0 + $1.sampleCount } == 120_000)
    }

    @Test func joining_firstFileWithoutAudio_leavesAGapAtTheStart() async throws {
        let fixture = try CompositionFixture()
        let joined = try await Composition.joining([try fixture.silentMovie("a.mov"), try fixture.movie("b.mov")])
        let asset = Asset(joined)
        let audio = try #require(try await asset.tracks(withMediaType: .audio).first)
        #expect(audio.timeRange == Fixture.range(1, 2, 1))
        let blocks = try await AssetReader.samples(asset, .audio, .pcm(.s16))
        #expect(blocks.first?.presentationTime == Fixture.time(1, 1) && blocks.holes == [])
    }

    @Test func joining_movesChaptersAndInventsNone() async throws {
        let fixture = try CompositionFixture()
        let plain = try fixture.movie("plain.mov")
        #expect(try await Composition.joining([plain, plain]).chapters.isEmpty)

        let directory = fixture.files.directory
        try Data(
            """
            ;FFMETADATA1
            title=The walk
            [CHAPTER]
            TIMEBASE=1/1000
            START=0
            END=400
            title=One
            [CHAPTER]
            TIMEBASE=1/1000
            START=400
            END=1000
            title=Two
            """.utf8
        ).write(to: directory.file("chapters.txt"))
        let url = directory.file("chapters.mov")
        let made = try Command.run(
            "ffmpeg", "-v", "error", "-i", try #require(plain.url).path, "-i", directory.path("chapters.txt"), "-map",
            "0",
            "-map_metadata", "1", "-map_chapters", "1", "-c", "copy", "-metadata", "creation_time=2024-02-29T12:34:56Z",
            url.path)
        try #require(made.status == 0, "\(made.errors)")
        let titled = Asset(url: url)
        let joined = Asset(try await Composition.joining([titled, plain, titled]))
        let chapters = try await joined.load(.chapters)
        #expect(chapters.map(\.title) == ["One", "Two", "One", "Two"])
        #expect(chapters.map(\.timeRange.start.seconds) == [0, 0.4, 2, 2.4])
        #expect(chapters.map(\.timeRange.end.seconds) == [0.4, 1, 2.4, 3])
        let (metadata, date) = try await joined.load(.metadata, .creationDate)
        #expect(metadata.contains { $0.key.lowercased() == "title" && $0.value == "The walk" })
        #expect(date == Date(timeIntervalSince1970: 1_709_210_096))
    }

    @Test func joining_fileWithoutIndex_keepsAllOfIt() async throws {
        let fixture = try CompositionFixture()
        // Silence first, then noise: an estimate from the bit rate is far off.
        let raw = try fixture.audio(
            "raw.aac", "'if(lt(t,1),0,random(0)*0.5)':d=6", ["-c:a", "aac", "-b:a", "128k"])
        let estimate = try await raw.load(.duration)
        let joined = try await Composition.joining([raw, raw])
        #expect(abs(joined.duration.seconds - 12) < 0.1, "\(joined.duration), estimated \(estimate) each")
        #expect(abs(estimate.seconds - 6) > 0.2)
        let blocks = try await AssetReader.samples(Asset(joined), .audio, .pcm(.s16))
        #expect(blocks.holes == [] && abs(blocks.reduce(0) { $0 + $1.sampleCount } - 576_000) < 4800)
    }

    @Test func joinedTrack_notConfigured_hasPropertiesOfItsFirstSegment() async throws {
        let fixture = try CompositionFixture()
        let url = try fixture.files.make(
            "a.mov", [ReadingFixture.frame, ReadingFixture.tone],
            ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "pcm_s16le", "-metadata:s:a", "language=fra"])
        try MovieRotation.set(clockwise: 270, in: url)
        let first = Asset(url: url)
        var joined = try await Composition.joining([first, try fixture.movie("b.mov")])
        let original = try await first.load(.tracks)
        let tracks = try await Asset(joined).load(.tracks)
        #expect(tracks.map(\.id) == [1, 2] && tracks.map(\.codecName) == ["h264", "pcm_s16le"])
        #expect(original[0].preferredTransform != .identity)
        #expect(tracks[0].preferredTransform == original[0].preferredTransform)
        #expect(tracks[0].formatDescription == original[0].formatDescription)
        #expect(tracks[1].languageCode == "fra" && tracks[1].isEnabled)
        try joined.configureTrack(2) {
            $0.languageCode = "deu"
            $0.isEnabled = false
        }
        try joined.configureTrack(1) { $0.preferredTransform = .identity }
        let changed = try await Asset(joined).load(.tracks)
        #expect(changed[0].preferredTransform == .identity)
        #expect(changed[1].languageCode == "deu" && !changed[1].isEnabled)
    }
}

import Foundation
import MediaTypes
import MovieFile
import TestSupport
import Testing

@testable import AssetIO

/// Tests that files with false contents are errors, and never crash or read without end.
@Suite struct HostileFileTests {
    @Test(arguments: ["small.mov", "small.mkv", "small.avi", "small.ts"])
    func reader_changedBytes_endsWithAStatus(_ name: String) async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make(
            name, ["testsrc2=s=64x48:r=10:d=1", "sine=frequency=440:sample_rate=8000:duration=1"],
            [
                "-c:v", name.hasSuffix("avi") ? "mpeg4" : "libx264", "-g", "5", "-pix_fmt", "yuv420p", "-c:a",
                name.hasSuffix("ts") ? "mp2" : "pcm_s16le", "-ar", "16000",
            ])
        let whole = try Data(contentsOf: url)
        let noise = SyntheticMedia.noise(4096, seed: 7)
        for round in 0..<12 {
            var bytes = whole
            for change in 0..<(1 + round * 2) {
                let at = round * 97 + change * 6
                let place = Int(noise[at]) << 16 | Int(noise[at + 1]) << 8 | Int(noise[at + 2])
                bytes[place % bytes.count] = noise[at + 3]
            }
            try bytes.write(to: url)
            let asset = Asset(url: url, prefersPreciseDurationAndTiming: true)
            _ = try? await asset.load(.duration)
            guard let tracks = try? await Asset(url: url).load(.tracks) else { continue }
            for track in tracks where track.mediaType == .video || track.mediaType == .audio {
                let settings: TrackOutput.Settings = track.mediaType == .video ? .pixels(.bgra) : .pcm(.float32)
                let reader = try AssetReader(asset: Asset(url: url))
                guard let own = try await reader.asset.load(.tracks).first(where: { $0.index == track.index }) else {
                    continue
                }
                let output = try TrackOutput(track: own, outputSettings: settings)
                guard (try? reader.add(output)) != nil, (try? reader.startReading()) != nil else { continue }
                #expect(output.all().count < 100_000)
                #expect(reader.status == .completed || reader.status == .failed)
                #expect((reader.error != nil) == (reader.status == .failed))
            }
        }
    }

    @Test func output_readByThreeTasks_returnsEachSampleOnce() async throws {
        let fixture = try ReadingFixture()
        let (reader, output) = try await AssetReader.reading(try fixture.movie(), .video, .pixels(.nv12))
        let times = await withTaskGroup(of: [MediaTime].self) { group in
            for _ in 0..<3 { group.addTask { output.all().map(\.presentationTime) } }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(times.count == 30 && Set(times).count == 30 && reader.status == .completed)
    }

    @Test func trackHeaders_haveLanguageTagsAndReferences() throws {
        func atom(_ type: String, _ body: [UInt8]) -> [UInt8] {
            let size = body.count + 8
            return [UInt8(size >> 24), UInt8(size >> 16 & 0xFF), UInt8(size >> 8 & 0xFF), UInt8(size & 0xFF)]
                + Array(type.utf8) + body
        }
        let header = [UInt8](repeating: 0, count: 12) + [0, 0, 0, 7] + [UInt8](repeating: 0, count: 68)
        let language = atom("elng", [0, 0, 0, 0] + Array("de-CH".utf8) + [0])
        let references = atom("chap", [0, 0, 0, 9, 0, 0, 0, 0]) + atom("tmcd", [0, 0, 0, 8])
        let track = atom("trak", atom("tkhd", header) + atom("tref", references) + atom("mdia", language))
        let directory = try TemporaryDirectory()
        let whole = atom("ftyp", Array("qt  ".utf8)) + atom("moov", track)
        try Data(whole).write(to: directory.file("header.mov"))
        let read = try #require(try StoredHeader(path: directory.path("header.mov")).trackHeaders().tracks[7])
        #expect(read.extendedLanguageTag == "de-CH")
        #expect(read.associations == [.chapterList: [9], .timecode: [8]])
        // A file truncated anywhere has fewer properties and never crashes the reader.
        for count in stride(from: 0, to: whole.count, by: 5) {
            try Data(whole.prefix(count)).write(to: directory.file("cut.mov"))
            #expect(try StoredHeader(path: directory.path("cut.mov")).trackHeaders().tracks.isEmpty)
        }
    }
}

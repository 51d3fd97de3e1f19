import Demuxing
import Foundation
import MediaCodecs
import MediaTypes
import MovieFile
import TestSupport
import Testing

@Suite struct MovieInspectorTests {
    private let recording = Recording.short

    private func summary(_ bytes: [UInt8]) throws -> MovieSummary {
        try judge(bytes) { try MovieInspector.summary(ofFileAt: $0) }
    }

    private func finished(metadata: [MetadataItem] = []) throws -> [UInt8] {
        let storage = MemoryStorage(try recording.bytes())
        var facts = recording.facts
        facts.metadata = metadata
        try MovieFinisher.finish(storage, facts: facts)
        return storage.bytes
    }

    @Test func summary_finalizedMovie_isIntactAndListsItsTracks() throws {
        let summary = try summary(finished())
        #expect(summary.health == .whole && summary.container == "mov")
        #expect(abs((summary.duration ?? 0) - 3) < 0.001)
        #expect(summary.tracks.map(\.type) == ["video", "audio"] && summary.tracks.map(\.codec) == ["h264", "aac"])
        let video = summary.tracks[0]
        #expect(video.width == 64 && video.height == 48 && video.frameCount == 90 && video.rotation == 0)
        #expect(abs((video.frameRate ?? 0) - 30) < 0.01)
        #expect(summary.tracks[1].sampleRate == 48_000 && summary.tracks[1].channels == 2)
        #expect(summary.tracks[1].language == nil)
    }

    @Test func summary_ledger_isReadBack() throws {
        var ledger = Ledger()
        ledger.captured = 10
        ledger.written = 9
        ledger[dropped: .corrupt] = 1
        let json = String(decoding: try JSONEncoder().encode(["video": ledger]), as: UTF8.self)
        let summary = try summary(
            finished(metadata: [
                MetadataItem(key: MetadataItem.ledgerKey, value: json),
                MetadataItem(key: MetadataItem.softwareKey, value: "x"),
            ]))
        #expect(summary.ledger == ["video": ledger])
        #expect(summary.metadata[MetadataItem.softwareKey] == "x" && summary.metadata[MetadataItem.ledgerKey] == nil)
    }

    @Test func summary_invalidLedger_isOmitted() throws {
        let summary = try summary(finished(metadata: [MetadataItem(key: MetadataItem.ledgerKey, value: "{")]))
        #expect(summary.ledger == nil && summary.health == .whole)
    }

    @Test func summary_recordingInProgress_isUnfinished() throws {
        let summary = try summary(recording.bytes())
        #expect(summary.health == .unfinished && summary.tracks.count == 2)
    }

    @Test func summary_incompleteEnd_isReported() throws {
        let bytes = try recording.bytes()
        #expect(try summary(Array(bytes.dropLast(100))).health == .torn)
        #expect(try summary(bytes + [UInt8](repeating: 0, count: 4096)).health == .torn)
    }

    @Test func summary_movieOfAnotherProgram_isIntact() throws {
        let directory = try TemporaryDirectory()
        for name in ["a.mov", "a.mp4"] {
            let made = try Command.run(
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:d=1", "-c:v", "libx264",
                directory.path(name))
            #expect(made.status == 0)
            let summary = try MovieInspector.summary(ofFileAt: directory.path(name))
            #expect(summary.health == .whole && summary.tracks.first?.frameCount == 25)
        }
    }

    /// Only the program that writes the file knows whether more fragments follow.
    @Test func summary_fragmentsOfAnotherProgram_haveUnknownHealth() throws {
        let directory = try TemporaryDirectory()
        let made = try Command.run(
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:d=1", "-c:v", "libx264", "-movflags",
            "frag_keyframe+empty_moov", directory.path("a.mp4"))
        #expect(made.status == 0)
        #expect(try MovieInspector.summary(ofFileAt: directory.path("a.mp4")).health == .unknown)
    }

    @Test func summary_rotationAndLanguage_areRead() throws {
        // Left half dark, right half bright; rotated clockwise, the dark half is on top.
        let buffer = MutablePixelBuffer(layout: PixelLayout(format: .nv12, width: 64, height: 48))
        let luma = buffer.plane(0)
        for position in luma.indices { luma[position] = position % 64 < 32 ? 30 : 200 }
        _ = buffer.plane(1).initializeMemory(as: UInt8.self, repeating: 128)
        let encoder = try H264Encoder(
            settings: VideoSettings(width: 64, height: 48), color: .init(), timeScale: 1000, isRealTime: true)
        var packets: [TrackSample] = []
        try encoder.encode(buffer.finish(), at: .zero) { packets.append(TrackSample(track: 0, sample: $0)) }
        try encoder.finish { packets.append(TrackSample(track: 0, sample: $0)) }
        let storage = MemoryStorage()
        let writer = MovieFileWriter(
            storage: storage, timeScale: 1000, creationTime: 0, metadata: [],
            tracks: [
                MovieTrack(
                    id: 1, mediaType: .video, format: .video(encoder.format), timeScale: 1000, language: "deu",
                    matrix: [0, 1, 0, -1, 0, 0, 48, 0, 1])
            ], sessionStart: .zero)
        try writer.writeFragment(packets)
        try MovieFinisher.finish(storage)
        let track = try #require(try summary(storage.bytes).tracks.first)
        #expect(track.rotation == 90 && track.language == "deu")
        let pixels = try judge(storage.bytes) { path in
            try Command.run("ffmpeg", "-v", "error", "-i", path, "-pix_fmt", "gray", "-f", "rawvideo", "-").output
        }
        #expect(pixels.count == 64 * 48)
        #expect(abs(Int(pixels[5 * 48 + 24]) - 30) < 25 && abs(Int(pixels[58 * 48 + 24]) - 200) < 40)
    }

    @Test func summary_notAMovie_namesTheFile() throws {
        for bytes in [[], SyntheticMedia.noise(4000), Array("just some words, many of them\n".utf8)] {
            let error = #expect(throws: MediaError.self) { try summary(bytes) }
            #expect(error?.code == .corruptData && error?.description.contains("movie.mov") == true)
        }
        let missing = #expect(throws: MediaError.self) { try MovieInspector.summary(ofFileAt: "/nowhere/at/all.mov") }
        #expect(missing?.code == .notFound)
        let directory = #expect(throws: MediaError.self) { try MovieInspector.summary(ofFileAt: "/tmp") }
        #expect(directory?.code == .unsupported)
    }

    @Test func summary_truncatedAnywhere_isNotIntact() throws {
        let bytes = try finished()
        for length in stride(from: 0, to: bytes.count, by: 997) {
            do {
                let health = try summary(Array(bytes[..<length])).health
                #expect(health != .whole, "\(length) bytes")
            } catch {
                #expect((error as? MediaError)?.code == .corruptData, "\(length) bytes: \(error)")
            }
        }
    }
}

import AssetIO
import CommandInterface
import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MovieCommands

/// Copies with masks, in one piece and in chunks: the frames, and the facts about the masks.
@Suite(.timeLimit(.minutes(10))) struct MaskedReencodingTests {
    private let directory: TemporaryDirectory
    private static let car = Project.file("Tests/Movies/car-detection.mp4")
    private static let (width, height) = (320, 180)
    private static let left = "left=0,0 50,0 50,100 0,100"

    init() throws { directory = try TemporaryDirectory() }

    private func make(_ name: String, _ arguments: [String]) throws -> URL {
        let url = directory.file(name)
        let made = try TestSupport.Command.run(
            ["ffmpeg", "-v", "error", "-y", "-i", Self.car.path] + arguments + [url.path])
        try #require(made.status == 0, "\(made.errors)")
        return url
    }

    /// Six seconds, 75 frames, with a keyframe every two seconds.
    private func street(_ options: [String] = []) throws -> URL {
        try make(
            "street.mov",
            ["-t", "6", "-vf", "scale=320:180", "-c:v", "libx264", "-g", "25", "-crf", "16", "-c:a", "copy"] + options)
    }

    private func request(_ source: URL, _ name: String) throws -> ReencodeRequest {
        var request = ReencodeRequest(inputs: [source])
        request.output = directory.file(name)
        request.undatedCreationDate = Date(timeIntervalSince1970: 1_600_000_000)
        var settings = VideoSettings(codec: .h264, rateControl: .constantQuality(16), preset: "veryfast")
        settings.threadCount = 2
        request.video = .encode(settings, twoPass: false)
        let white = FrameMaskStyle.color(red: 255, green: 255, blue: 255)
        request.frameStage = try ReencodeText.frameStage(
            masks: [try MaskText.parse(Self.left)], style: white, crop: nil, flip: nil)
        return request
    }

    /// Returns the number of frames, and expects each to be white in its left half.
    private func maskedFrames(_ url: URL) throws -> Int {
        let result = try TestSupport.Command.run(
            "ffmpeg", "-v", "error", "-i", url.path, "-map", "0:v:0", "-fps_mode", "passthrough", "-vf",
            "extractplanes=y", "-f", "rawvideo", "-")
        try #require(result.status == 0, "\(result.errors)")
        let pixels = [UInt8](result.output)
        let isHidden = pixels.indices.allSatisfy {
            $0 % Self.width >= Self.width / 2 || abs(Int(pixels[$0]) - 235) <= 24
        }
        #expect(isHidden)
        #expect(pixels.indices.contains { $0 % Self.width >= Self.width / 2 && pixels[$0] < 200 })
        return pixels.count / Self.width / Self.height
    }

    private func entries(_ url: URL) throws -> [RecordedMasks.Entry] {
        let metadata = try MovieSummary(contentsOf: url).metadata
        let value = try #require(
            metadata.first { $0.key == MetadataItem.masksKey || $0.key.hasSuffix(":" + MetadataItem.masksKey) }?.value)
        return try JSONDecoder().decode([RecordedMasks.Entry].self, from: Data(value.utf8))
    }

    @Test(arguments: ["mov", "mp4"]) func reencode_masks_areInFramesAndMetadata(type: String) async throws {
        let source = try street()
        let request = try request(source, "copy.\(type)")
        let summary = try await Reencoder(request).run()
        #expect(summary.leftOut.isEmpty, "\(summary.leftOut)")
        let copy = try #require(request.output)
        #expect(try maskedFrames(copy) >= 70)
        #expect(try entries(copy) == [.init(time: 0, style: "#ffffff", masks: [Self.left])])
    }

    @Test func reencode_masksInChunks_areInEveryFrame() async throws {
        let source = try street()
        let whole = try request(source, "whole.mov")
        _ = try await Reencoder(whole).run()
        let joined = try request(source, "joined.mov")
        let chunked = try await ChunkedReencoder(joined, count: 3)
        _ = try await chunked.run()
        #expect(chunked.seams.count == 3)
        let files = (try #require(whole.output), try #require(joined.output))
        #expect(try maskedFrames(files.0) == maskedFrames(files.1))
        #expect(try entries(files.0) == entries(files.1))
        #expect(try ChunkedMovie.packets(files.0).map(\.decoded) == ChunkedMovie.packets(files.1).map(\.decoded))
        // No part is left that another run could join.
        #expect(Set(directory.names) == ["joined.mov", "street.mov", "whole.mov"])
    }

    @Test func reencode_masksAndSpeed_areInEveryFrame() async throws {
        let source = try street()
        var request = try request(source, "fast.mov")
        request.speed = 3
        _ = try await Reencoder(request).run()
        let copy = try #require(request.output)
        #expect(abs(try maskedFrames(copy) - 25) <= 2)
        #expect(try entries(copy).map(\.masks) == [[Self.left]])
    }

    @Test func reencode_masksOfTheSource_areReplacedAndReported() async throws {
        let source = try street()
        let first = try request(source, "first.mov")
        _ = try await Reencoder(first).run()
        var second = try request(try #require(first.output), "second.mov")
        second.frameStage = try ReencodeText.frameStage(
            masks: [try MaskText.parse("55,0 65,0 65,10")], style: nil, crop: nil, flip: nil)
        let summary = try await Reencoder(second).run()
        #expect(summary.leftOut.contains { $0.hasPrefix("the list of the recording's masks") })
        let copy = try #require(second.output)
        #expect(try maskedFrames(copy) >= 70)
        #expect(try entries(copy) == [.init(time: 0, style: "black", masks: ["55,0 65,0 65,10"])])
    }

    @Test func reencode_masksOfTheSourceWithoutNewOnes_areKept() async throws {
        let source = try street()
        let first = try request(source, "first.mov")
        _ = try await Reencoder(first).run()
        var second = try request(try #require(first.output), "second.mov")
        second.frameStage = FrameStageSettings()
        _ = try await Reencoder(second).run()
        #expect(try entries(try #require(second.output)).map(\.masks) == [[Self.left]])
    }

    @Test func maskedMetadata_coverImage_isLeftOut() throws {
        let facts = [
            MetadataItem(keySpace: .iTunes, key: "covr", content: .jpeg([0xFF, 0xD8])),
            MetadataItem(key: "title", value: "Street"),
        ]
        let request = try request(try street(), "copy.mov")
        let tracks = try Asset(url: try #require(request.inputs.first)).loadNow(.tracks)
        let masked = MaskedMetadata(request, facts, tracks)
        #expect(masked.kept.map(\.key) == ["title"] && masked.leftOut.count == 1)
        #expect(masked.added.map(\.key) == [MetadataItem.masksKey])
        // Nothing is masked in a copy without video.
        let silent = MaskedMetadata(request, facts, tracks.filter { $0.mediaType != .video })
        #expect(silent.kept == facts && silent.added.isEmpty && silent.leftOut.isEmpty)
    }

    @Test func frameStage_contradictoryOptions_areRefused() throws {
        #expect(throws: OptionError.self) {
            try ReencodeText.frameStage(masks: [], style: .pixelate(32), crop: nil, flip: nil)
        }
        let masks = try ["a=0,0 1,0 1,1", "a=0,0 2,0 2,2", "b=0,0 3,0 3,3", "b=none"].map { try MaskText.parse($0) }
        let stage = try ReencodeText.frameStage(masks: masks, style: nil, crop: nil, flip: .vertical)
        #expect(stage.masks.map { MaskText.text($0) } == ["a=0,0 2,0 2,2"] && stage.flip == .vertical)
    }
}

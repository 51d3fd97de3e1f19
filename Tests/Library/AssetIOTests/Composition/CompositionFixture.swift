import AssetIO
import Foundation
import MediaTypes
import TestSupport
import Testing

/// Assets for compositions, and helpers that read them.
struct CompositionFixture {
    let files: ReadingFixture

    init() throws { files = try ReadingFixture() }

    static func time(_ value: Int64, _ scale: Int32) -> MediaTime { MediaTime(value: value, timescale: scale) }

    static func range(_ start: Int64, _ end: Int64, _ scale: Int32) -> TimeRange {
        TimeRange(start: time(start, scale), end: time(end, scale))
    }

    static let everything = TimeRange(start: .zero, duration: .positiveInfinity)

    /// A movie of one second at 30 fps. Its audio, 48,000 audio frames of a rising tone, identifies each position.
    func movie(_ name: String, _ pattern: String = "testsrc2", audio: [String] = ["-c:a", "pcm_s16le"]) throws -> Asset
    {
        Asset(
            url: try files.make(
                name, ["\(pattern)=s=128x96:r=30:d=1", "aevalsrc=0.4*sin(2*PI*(300+400*t)*t):s=48000:d=1"],
                ["-vf", ColorTags.none, "-c:v", "libx264", "-bf", "2", "-g", "15", "-pix_fmt", "yuv420p"] + audio))
    }

    func audio(_ name: String, _ expression: String, rate: Int = 48_000, _ arguments: [String] = ["-c:a", "pcm_s16le"])
        throws -> Asset
    {
        Asset(url: try files.make(name, ["aevalsrc=\(expression):s=\(rate)"], arguments))
    }

    func silentMovie(_ name: String, _ pattern: String = "testsrc2", rate: Int = 30) throws -> Asset {
        Asset(
            url: try files.make(
                name, ["\(pattern)=s=128x96:r=\(rate):d=1"],
                ["-vf", ColorTags.none, "-c:v", "libx264", "-bf", "2", "-pix_fmt", "yuv420p"]))
    }
}

extension AssetReader {
    /// A started reader with one output for the first track of a media type.
    static func reading(
        _ asset: Asset, _ mediaType: MediaType, _ settings: TrackOutput.Settings?, _ range: TimeRange? = nil,
        configure: (inout ReaderOutputConfiguration) -> Void = { _ in }
    ) async throws -> (AssetReader, TrackOutput) {
        let track = try #require(try await asset.tracks(withMediaType: mediaType).first)
        let output = try TrackOutput(track: track, outputSettings: settings)
        try output.configure(configure)
        return (try start(asset, output, range), output)
    }

    static func start(
        _ asset: Asset, _ output: any AssetReaderOutput, _ range: TimeRange? = nil
    ) throws -> AssetReader {
        let reader = try AssetReader(asset: asset)
        if let range { try reader.configure { $0.timeRange = range } }
        try reader.add(output)
        try reader.startReading()
        return reader
    }

    /// All samples of the first track of a media type.
    static func samples(
        _ asset: Asset, _ mediaType: MediaType, _ settings: TrackOutput.Settings?, _ range: TimeRange? = nil
    ) async throws -> [SampleBuffer] {
        let (reader, output) = try await reading(asset, mediaType, settings, range)
        let samples = output.all()
        #expect(reader.status == .completed, "\(String(describing: reader.error))")
        return samples
    }
}

extension [SampleBuffer] {
    var audio: Data { reduce(into: Data()) { $0 += $1.bytes } }

    func numbers<Number>(_: Number.Type) -> [Number] {
        audio.withUnsafeBytes { [Number]($0.bindMemory(to: Number.self)) }
    }

    /// Start times of blocks that do not begin where the block before ends.
    var holes: [MediaTime] {
        zip(self, dropFirst()).compactMap { one, next in
            one.presentationTime + (one.duration ?? .zero) == next.presentationTime ? nil : next.presentationTime
        }
    }
}

import AssetIO
import Foundation
import MediaTypes
import TestSupport
import Testing

/// Files that ffmpeg made, and ffmpeg's own decoding of them.
struct ReadingFixture {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    static let frame = "testsrc2=s=128x96:r=30:d=1"
    static let tone = "sine=frequency=440:sample_rate=48000:duration=1"

    /// Makes a file from lavfi patterns with ffmpeg.
    ///
    /// - Parameter arguments: encoder arguments without a file name.
    func make(_ name: String, _ inputs: [String] = [frame], _ arguments: [String]) throws -> URL {
        let sources = inputs.flatMap { ["-f", "lavfi", "-i", $0] }
        try #require(!arguments.contains { $0.contains(directory.url.path) })
        let url = directory.file(name)
        try MadeFile.copy(of: ["ffmpeg", "-v", "error", "-y"] + sources + arguments, to: url)
        return url
    }

    /// A movie of H.264 with B-frames, a keyframe every half second, and AAC.
    func movie(_ name: String = "movie.mov") throws -> URL {
        try make(
            name, [Self.frame, Self.tone],
            ["-c:v", "libx264", "-bf", "2", "-g", "15", "-pix_fmt", "yuv420p", "-c:a", "aac"])
    }

    /// The bytes that ffmpeg decodes from a file's first track of a kind.
    static func decoded(_ url: URL, _ arguments: [String]) throws -> Data {
        let result = try Command.run(["ffmpeg", "-v", "error", "-i", url.path] + arguments + ["-"])
        try #require(result.status == 0, "\(result.errors)")
        return result.output
    }
}

extension AssetReaderOutput {
    /// All samples up to the end.
    func all() -> [SampleBuffer] {
        var samples: [SampleBuffer] = []
        while let sample = copyNextSampleBuffer() { samples.append(sample) }
        return samples
    }
}

extension AssetReader {
    /// A started reader with one output for the first track of a media type.
    static func reading(
        _ url: URL, _ mediaType: MediaType, _ settings: TrackOutput.Settings?, from start: MediaTime = .zero,
        to end: MediaTime = .positiveInfinity, configure: (inout ReaderOutputConfiguration) -> Void = { _ in }
    ) async throws -> (AssetReader, TrackOutput) {
        let asset = Asset(url: url)
        let track = try #require(try await asset.tracks(withMediaType: mediaType).first)
        let output = try TrackOutput(track: track, outputSettings: settings)
        try output.configure(configure)
        let reader = try AssetReader(asset: asset)
        try reader.configure { $0.timeRange = TimeRange(start: start, end: end) }
        try reader.add(output)
        try reader.startReading()
        return (reader, output)
    }
}

extension SampleBuffer {
    var bytes: Data {
        if case .data(let data) = content { Data(data.bytes) } else { Data() }
    }

    /// The frame's rows without padding, plane after plane, as in ffmpeg's `rawvideo`.
    var visible: Data {
        if case .pixels(let buffer) = content { buffer.visible } else { Data() }
    }
}

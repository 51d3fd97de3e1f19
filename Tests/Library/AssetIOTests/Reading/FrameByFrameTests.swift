import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests that every frame of every movie equals FFmpeg's bit for bit, at FFmpeg's time, and that single images equal
/// them too.
@Suite struct FrameByFrameTests {
    /// A format whose luma both return without conversion; nil if one of them converts.
    private static func format(_ video: InputFile.Video) -> PixelFormat? {
        switch (video.chroma, video.depth) {
        case ("4:2:0", 8): .i420
        case ("4:2:2", 8): .i422
        case ("4:2:0", 10): .i010
        default: nil
        }
    }

    private struct Frame: Equatable, CustomStringConvertible {
        var time: Double
        var sum: UInt32
        var description: String { "\(time): \(sum)" }
    }

    /// FFmpeg's luma, as checksums of `-f framecrc`.
    private func judged(_ url: URL) throws -> [Frame] {
        let result = try Command.run(
            "ffmpeg", "-v", "error", "-noautorotate", "-i", url.path, "-map", "0:v:0", "-fps_mode", "passthrough",
            "-vf",
            "extractplanes=y", "-f", "framecrc", "-")
        try #require(result.status == 0, "\(result.errors)")
        var scale = 1.0
        return result.text.split(separator: "\n").compactMap { line in
            if line.hasPrefix("#tb 0:"), let base = line.split(separator: " ").last {
                let parts = base.split(separator: "/").compactMap { Double($0) }
                if parts.count == 2 { scale = parts[0] / parts[1] }
            }
            let fields = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            guard !line.hasPrefix("#"), fields.count >= 6, let time = Double(fields[2]),
                let sum = UInt32(fields[5].dropFirst(2), radix: 16)
            else { return nil }
            return Frame(time: time * scale, sum: sum)
        }
    }

    private static let movies = (InputMatrix.files + InputMatrix.odd).filter {
        $0.video.first.map { format($0) != nil } ?? false
    }

    @Test(arguments: movies) func reader_everyFrame_matchesFFmpeg(_ file: InputFile) async throws {
        let url = try file.url()
        let format = try #require(Self.format(file.video[0]))
        let wanted = try judged(url)
        let (reader, output) = try await AssetReader.reading(url, .video, .pixels(format))
        var found: [Frame] = []
        while let sample = output.copyNextSampleBuffer() {
            guard case .pixels(let frame) = sample.content else { continue }
            found.append(Frame(time: sample.presentationTime.seconds, sum: frame.lumaChecksum))
        }
        #expect(reader.status == .completed, "\(String(describing: reader.error))")
        #expect(found.map(\.sum) == wanted.map(\.sum))
        // FFmpeg starts a movie at its first frame; AVI has no presentation times.
        let shift = (found.first?.time ?? 0) - (wanted.first?.time ?? 0)
        for (one, other) in zip(found, wanted) { #expect(abs(one.time - shift - other.time) < 0.0015) }
    }

    @Test(arguments: movies.filter { $0.name.hasPrefix("vp9") || $0.name.hasPrefix("hevc") })
    func images_matchTheFramesOfTheMovie(_ file: InputFile) async throws {
        let url = try file.url()
        let format = try #require(Self.format(file.video[0]))
        let (_, output) = try await AssetReader.reading(url, .video, .pixels(format))
        let samples = output.all()
        let generator = FrameGenerator(asset: Asset(url: url))
        (generator.requestedTimeToleranceBefore, generator.requestedTimeToleranceAfter) = (.zero, .zero)
        generator.pixelFormat = format
        for sample in samples.reversed() {
            guard case .pixels(let frame) = sample.content else { continue }
            let half = MediaTime(value: 1, timescale: 100)
            let (still, time) = try await generator.image(at: sample.presentationTime + half)
            #expect(time == sample.presentationTime && still.lumaChecksum == frame.lumaChecksum, "\(time.seconds)")
        }
    }

    /// AMR's frames, FLAC's sample count, MP3's cover and header: the audio is as long as FFmpeg decodes it.
    @Test(arguments: InputMatrix.odd.filter { !$0.audio.isEmpty })
    func reader_oddAudioFiles_areAsLongAsWithFFmpeg(_ file: InputFile) async throws {
        let url = try file.url()
        let (reader, output) = try await AssetReader.reading(url, .audio, .pcm(.s16))
        let frames = output.all().reduce(0) { $0 + $1.sampleCount }
        #expect(reader.status == .completed, "\(String(describing: reader.error))")
        let wanted = try file.judgement().audio[0].audioFrames
        #expect(abs(frames - wanted) <= 1200, "\(frames) \(wanted)")
    }
}

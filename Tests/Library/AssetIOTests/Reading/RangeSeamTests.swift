import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests that adjacent ranges together have the same samples as the complete movie, wherever they meet: in every
/// container, with every codec.
@Suite struct RangeSeamTests {
    private struct Frame: Equatable {
        var time: MediaTime
        var digest: Int

        /// - Parameter isWhole: false if only the first 80 samples represent the frame.
        init(_ sample: SampleBuffer, isWhole: Bool) {
            time = sample.presentationTime
            guard case .pixels(let buffer) = sample.content else {
                digest = 0
                return
            }
            digest = isWhole ? buffer.digest : Array(buffer.plane(0).prefix(80)).hashValue
        }
    }

    /// The expected frames of a range: the frame that is on screen at its start, then those that begin in it.
    private func shown(_ whole: [Frame], from start: MediaTime, to end: MediaTime) -> [Frame] {
        let inside = whole.filter { ($0.time >= start || start == .zero) && $0.time < end }
        let next = whole.first { $0.time >= start }?.time ?? .positiveInfinity
        guard start > .zero, min(next, end) - start >= HeldFrame.shortest,
            var held = whole.last(where: { $0.time < start })
        else { return inside }
        held.time = start
        return [held] + inside
    }

    private func read(
        _ asset: Asset, _ track: AssetTrack, _ settings: TrackOutput.Settings, _ start: MediaTime, _ end: MediaTime,
        threads: Int = 0
    ) throws -> [SampleBuffer] {
        let source = try asset.source(
            of: track, ranges: [TimeRange(start: start, end: end)],
            SourceOptions(settings: settings, threadCount: threads))
        return try source.rest()
    }

    private func checkFrames(_ url: URL) async throws {
        // Refreshed column by column: after a seek to a frame that is not a keyframe, some frames may differ.
        let isWhole = !url.lastPathComponent.hasPrefix("refresh.")
        let asset = Asset(url: url)
        for track in try await asset.tracks(withMediaType: .video) {
            let whole = try read(asset, track, .pixels(nil), .zero, .positiveInfinity).map {
                Frame($0, isWhole: isWhole)
            }
            let length = try #require(whole.last).time.ticks(in: 100_000)
            var dice = SeededRandom(seed: UInt64(length))
            for round in 0..<4 {
                var cuts = (0..<2).map { _ in Int64.random(in: 0...length, using: &dice) }.sorted()
                // Exactly at a frame, too.
                var times = cuts.map { MediaTime(value: $0, timescale: 100_000) }
                if round == 3 {
                    times = cuts.map { cut in whole[Int(cut) * (whole.count - 1) / Int(max(1, length))].time }
                }
                cuts = []
                let (first, second) = (times[0], times[1])
                for (start, end) in [(.zero, first), (first, second), (second, MediaTime.positiveInfinity)] {
                    guard start < end else { continue }
                    let expected = shown(whole, from: start, to: end)
                    let part = try read(asset, track, .pixels(nil), start, end, threads: round % 2).map {
                        Frame($0, isWhole: isWhole)
                    }
                    let name = "\(url.lastPathComponent) \(start.seconds)..<\(end.seconds)"
                    #expect(part.map(\.time.seconds) == expected.map(\.time.seconds), "\(name)")
                    #expect(part == expected, "\(name): other frames")
                }
            }
        }
    }

    @Test(arguments: InputMatrix.files.filter { !$0.video.isEmpty })
    func reader_frameRanges_equalACompleteRead(_ file: InputFile) async throws {
        try await checkFrames(try file.url())
    }

    /// File names and encoder arguments.
    private static let groups: [(String, String)] = [
        ("bframes.avi", "-c:v libx264 -g 12 -bf 3 -pix_fmt yuv420p"),
        ("bframes-asp.avi", "-c:v mpeg4 -g 12 -bf 2"),
        ("plain.avi", "-c:v mpeg4 -g 12"),
        ("bframes.mkv", "-c:v libx264 -g 12 -bf 3 -x264-params b-pyramid=normal -pix_fmt yuv420p"),
        ("open.mkv", "-c:v libx264 -x264-params open-gop=1:keyint=12:bframes=3 -pix_fmt yuv420p"),
        ("open.ts", "-c:v libx264 -x264-params open-gop=1:keyint=12:bframes=3 -pix_fmt yuv420p"),
        ("refresh.mov", "-c:v libx264 -x264-params intra-refresh=1:keyint=12:bframes=0 -pix_fmt yuv420p"),
        ("refresh.mkv", "-c:v libx264 -x264-params intra-refresh=1:keyint=12:bframes=0 -pix_fmt yuv420p"),
        ("hevc-open.mp4", "-c:v libx265 -x265-params log-level=none:open-gop=1:keyint=12:bframes=3 -tag:v hvc1"),
        ("hevc-open.mkv", "-c:v libx265 -x265-params log-level=none:open-gop=1:keyint=12:bframes=3"),
        ("mpeg2-open.mov", "-c:v mpeg2video -g 12 -bf 2"),
        ("mpeg2-open.mkv", "-c:v mpeg2video -g 12 -bf 2"),
        ("mpeg2-open.ts", "-c:v mpeg2video -g 12 -bf 2"),
        ("mpeg2-open.mpg", "-c:v mpeg2video -g 12 -bf 2"),
        ("bframes.flv", "-c:v libx264 -g 12 -bf 3 -pix_fmt yuv420p"),
        ("altref.webm", "-c:v libvpx-vp9 -g 12 -deadline good -cpu-used 5 -auto-alt-ref 1 -lag-in-frames 10"),
        ("interlaced.ts", "-c:v libx264 -g 12 -bf 2 -flags +ilme+ildct -pix_fmt yuv420p"),
        ("fragments.mp4", "-c:v libx264 -g 12 -bf 3 -pix_fmt yuv420p -movflags frag_keyframe+empty_moov"),
        (
            "variable.mkv",
            "-vf select=lt(n\\,20)+not(mod(n\\,3)) -fps_mode vfr -c:v libx264 -g 12 -bf 3 -pix_fmt yuv420p"
        ),
    ]

    @Test(arguments: groups) func reader_rangesOfDependentFrames_equalACompleteRead(
        _ name: String, _ arguments: String
    ) async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make(
            name, ["testsrc2=s=96x64:r=25:d=3"], arguments.split(separator: " ").map(String.init))
        try await checkFrames(url)
    }

    @Test func reader_rangesOfAnEditBetweenKeyframes_equalACompleteRead() async throws {
        let fixture = try ReadingFixture()
        let whole = try fixture.make(
            "whole.mov", ["testsrc2=s=96x64:r=25:d=3"],
            ["-c:v", "libx264", "-bf", "3", "-g", "25", "-pix_fmt", "yuv420p"])
        let cut = fixture.directory.file("cut.mov")
        let made = try Command.run("ffmpeg", "-v", "error", "-ss", "0.7", "-i", whole.path, "-c", "copy", cut.path)
        #expect(made.status == 0, "\(made.errors)")
        try await checkFrames(cut)
    }

    @Test(arguments: InputMatrix.files.filter { !$0.audio.isEmpty })
    func reader_audioRanges_equalACompleteRead(_ file: InputFile) async throws {
        let asset = Asset(url: try file.url())
        for (index, track) in try await asset.tracks(withMediaType: .audio).enumerated() {
            let codec = file.audio[index].codec
            let isLossless = codec.hasPrefix("pcm") || codec == "flac" || codec == "alac"
            let whole = try Audio(read(asset, track, .pcm(.s16), .zero, .positiveInfinity))
            // The uncertainty of millisecond timestamps where packets differ in length.
            let slack = isLossless ? 0 : Int(whole.rate) / 300
            var dice = SeededRandom(seed: UInt64(whole.end))
            for _ in 0..<3 {
                let cuts = (0..<2).map { _ in Int.random(in: 0...whole.end, using: &dice) }.sorted()
                for (start, end) in [(0, cuts[0]), (cuts[0], cuts[1]), (cuts[1], whole.end)]
                where end - max(start, whole.first) > 2048 {
                    let last = end == whole.end ? MediaTime.positiveInfinity : whole.time(end)
                    let part = try Audio(read(asset, track, .pcm(.s16), whole.time(start), last))
                    let name = "\(file.name) \(start)..<\(end)"
                    #expect(abs(part.end - min(end, whole.end)) <= slack, "\(name) ends at \(part.end)")
                    #expect(abs(part.first - max(start, whole.first)) <= slack, "\(name) begins at \(part.first)")
                    let from = max(start, whole.first) + slack
                    let (given, expected) = (part.level(from..<end - slack), whole.level(from..<end - slack))
                    if isLossless {
                        #expect(part.frames(start..<end) == whole.frames(start..<end), "\(name)")
                    } else {
                        // A decoder that started elsewhere rounds differently.
                        #expect(abs(given - expected) <= expected * 0.05 + 16, "\(name) \(given) \(expected)")
                    }
                }
            }
        }
    }

    /// Decoded audio at the places that its times determine, in audio frames.
    private struct Audio {
        private var blocks: [(start: Int, frames: [Int16])] = []
        private let channels: Int
        let rate: Int32

        var first: Int { blocks.first?.start ?? 0 }
        var end: Int { blocks.last.map { $0.start + $0.frames.count / channels } ?? 0 }

        init(_ samples: [SampleBuffer]) throws {
            let format = try #require(samples.first?.format.audio)
            (channels, rate) = (format.channelCount, Int32(format.sampleRate))
            for sample in samples {
                let frames = sample.bytes.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
                blocks.append((Int(sample.presentationTime.ticks(in: rate)), frames))
            }
        }

        func time(_ frame: Int) -> MediaTime { MediaTime(value: Int64(frame), timescale: rate) }

        func frames(_ range: Range<Int>) -> [Int16] {
            blocks.flatMap { block -> ArraySlice<Int16> in
                let inside = range.clamped(to: block.start..<block.start + block.frames.count / channels)
                guard !inside.isEmpty else { return [] }
                return block.frames[
                    (inside.lowerBound - block.start) * channels..<(inside.upperBound - block.start) * channels]
            }
        }

        /// The mean magnitude of a sample.
        func level(_ range: Range<Int>) -> Double {
            let frames = frames(range)
            return frames.isEmpty ? 0 : frames.reduce(0) { $0 + Double($1.magnitude) } / Double(frames.count)
        }
    }
}

extension SampleSource {
    /// All samples up to the end.
    func rest() throws -> [SampleBuffer] {
        var samples: [SampleBuffer] = []
        while let sample = try next() { samples.append(sample) }
        return samples
    }
}

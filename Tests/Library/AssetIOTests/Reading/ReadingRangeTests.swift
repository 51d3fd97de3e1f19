import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests that a time range contains exactly the samples inside it, wherever keyframes and packets are.
@Suite struct ReadingRangeTests {
    private func time(_ frame: Int64) -> MediaTime { MediaTime(value: frame, timescale: 30) }

    @Test(arguments: ["movie.mov", "movie.mkv", "movie.ts", "movie.mp4"])
    func reader_timeRange_hasTheFramesOfACompleteRead(_ name: String) async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make(
            name, [ReadingFixture.frame], ["-c:v", "libx264", "-bf", "2", "-g", "12", "-pix_fmt", "yuv420p"])
        let (_, whole) = try await AssetReader.reading(url, .video, .pixels(nil))
        let all = whole.all()
        #expect(all.count == 30)
        for (from, to) in [(0, 5), (7, 20), (12, 13), (23, 30), (29, 90)] {
            // Containers round times; half a frame earlier is safe.
            let (start, end) = (
                time(Int64(from)) - MediaTime(value: 1, timescale: 60),
                time(Int64(to)) - MediaTime(value: 1, timescale: 60)
            )
            let (reader, output) = try await AssetReader.reading(url, .video, .pixels(nil), from: start, to: end)
            let part = output.all()
            #expect(reader.status == .completed, "\(String(describing: reader.error))")
            // The range begins inside the frame before.
            let first = max(0, from - 1)
            #expect(part.map(\.visible) == all[first..<min(30, to)].map(\.visible), "\(from)..<\(to)")
            let times = (from > 0 ? [start] : []) + all[from..<min(30, to)].map(\.presentationTime)
            #expect(part.map(\.presentationTime) == times)
        }
    }

    @Test(arguments: [
        ("tone.wav", "pcm_s16le"), ("tone.m4a", "alac"), ("tone.flac", "flac"), ("tone.m4a", "aac"),
        ("tone.mp3", "libmp3lame"), ("tone.mkv", "aac"),
    ])
    func reader_timeRange_cutsAudioToTheAudioFrame(_ name: String, _ codec: String) async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.make(
            name, ["aevalsrc=0.4*sin(2*PI*(300+400*t)*t):s=48000:d=3"],
            ["-c:a", codec] + (codec == "aac" ? ["-aac_pns", "0"] : []))
        let (_, whole) = try await AssetReader.reading(url, .audio, .pcm(.s16))
        let all = whole.all().reduce(into: Data()) { $0 += $1.bytes }
        for (from, to) in [(0, 1), (48_001, 50_000), (70_007, 100_003), (143_000, 144_000)] {
            let (reader, output) = try await AssetReader.reading(
                url, .audio, .pcm(.s16), from: MediaTime(value: Int64(from), timescale: 48_000),
                to: MediaTime(value: Int64(to), timescale: 48_000))
            let samples = output.all()
            #expect(reader.status == .completed, "\(String(describing: reader.error))")
            #expect(samples.first?.presentationTime == MediaTime(value: Int64(from), timescale: 48_000))
            let part = samples.reduce(into: Data()) { $0 += $1.bytes }
            #expect(part.count == (to - from) * 2, "\(from)..<\(to): \(part.count / 2)")
            let given = part.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
            let expected = all.subdata(in: (from * 2)..<(to * 2)).withUnsafeBytes {
                Array($0.bindMemory(to: Int16.self))
            }
            let off = zip(given, expected).map { abs(Int($0) - Int($1)) }.max() ?? 0
            #expect(off <= (codec == "aac" || codec == "libmp3lame" ? 2 : 0), "\(from)..<\(to): off by \(off)")
        }
    }

    @Test func reader_storedFrames_beginWithTheNeededKeyframe() async throws {
        let fixture = try ReadingFixture()
        let url = try fixture.movie()
        let (_, output) = try await AssetReader.reading(url, .video, nil, from: time(20), to: time(25))
        let samples = output.all()
        #expect(samples.first?.isKeyframe == true && samples.first?.presentationTime == time(15))
        #expect(samples.filter { $0.presentationTime >= time(20) && $0.presentationTime < time(25) }.count == 5)
        #expect(samples.allSatisfy { ($0.decodeTime ?? $0.presentationTime) < time(25) })
    }

    @Test func reader_editList_decidesWhatIsShown() async throws {
        let fixture = try ReadingFixture()
        let whole = try fixture.movie()
        let cut = fixture.directory.file("cut.mov")
        // The cut is between keyframes: ffmpeg stores packets from the keyframe on and hides the start with an edit.
        let made = try Command.run(
            "ffmpeg", "-v", "error", "-ss", "0.7", "-i", whole.path, "-c", "copy", cut.path)
        #expect(made.status == 0, "\(made.errors)")
        let (_, output) = try await AssetReader.reading(cut, .video, .pixels(nil))
        let expected = try ReadingFixture.decoded(cut, ["-fps_mode", "passthrough", "-f", "rawvideo"])
        let samples = output.all()
        #expect(samples.reduce(into: Data()) { $0 += $1.visible } == expected)
        #expect(samples.count == 9 && samples.allSatisfy { $0.presentationTime >= .zero })
        let (_, audio) = try await AssetReader.reading(cut, .audio, .pcm(.s16))
        let blocks = audio.all()
        #expect(blocks.first?.presentationTime == .zero)
        #expect(abs(blocks.reduce(0) { $0 + $1.sampleCount } - 14_400) <= 1024)
    }
}

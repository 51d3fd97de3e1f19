import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// The audio at the start of a part that is passed through. FFmpeg is the judge.
@Suite struct CutAudioTests {
    private static let tone = "aevalsrc='0.5*sin(2*PI*(200+400*t)*t)':s=48000:d=3"

    private func audio(_ url: URL) throws -> [Float] {
        try ReadingFixture.decoded(url, ["-map", "0:a:0", "-f", "f32le"]).withUnsafeBytes {
            Array($0.bindMemory(to: Float.self))
        }
    }

    /// The first audible packet depends on earlier ones.
    @Test(arguments: [
        ("a.m4a", ["-c:a", "aac"]), ("a.mp4", ["-c:a", "libopus", "-b:a", "64k"]),
        ("a.mov", ["-c:a", "libmp3lame", "-b:a", "64k"]), ("a.mov", ["-c:a", "alac"]),
    ]) func passthrough_partOfCompressedAudio_decodesAsInTheWhole(name: String, codec: [String]) async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make(name, [Self.tone], codec)
        let start = MediaTime(value: 59_256, timescale: 48_000)
        let copy = try await ExportedCopy(of: source, in: fixture.directory, preset: .passthrough) {
            $0.timeRange = TimeRange(start: start, end: .positiveInfinity)
        }
        let (whole, part) = (try audio(source), try audio(copy.url))
        // Codecs pad the end.
        let count = 80_000
        try #require(whole.count >= Int(start.value) + count && part.count >= count)
        let distances = zip(whole[Int(start.value)...], part.prefix(count)).map { abs($0 - $1) }
        let worst = distances.max() ?? 1
        #expect(worst < 0.01, "\(worst) at \(distances.firstIndex(of: worst) ?? 0)")
    }

    /// Packets of 960 audio frames. The reader of an application gets only those of its range.
    @Test(arguments: [(false, 0), (true, 8)]) func reader_partOfOpus_returnsThePreroll(
        givesPreroll: Bool, earlier: Int
    ) async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make("a.mp4", [Self.tone], ["-c:a", "libopus"])
        let (_, all) = try await AssetReader.reading(source, .audio, nil)
        let start = MediaTime(value: 1, timescale: 1)
        let first = try #require(all.all().first { $0.presentationTime + ($0.duration ?? .zero) > start })
        let (_, output) = try await AssetReader.reading(source, .audio, nil, from: start) {
            $0.givesPreroll = givesPreroll
        }
        let packets = output.all()
        try #require(packets.count > earlier)
        #expect(packets[earlier].presentationTime == first.presentationTime)
    }

    @Test func preroll_codecs_areAsLongAsTheirDecodersNeed() {
        func format(_ codec: String, _ frames: Int) -> AudioFormat {
            AudioFormat(
                codec: AudioCodec(rawValue: codec), sampleRate: 48_000, channelCount: 2, framesPerPacket: frames)
        }
        #expect(AudioPreroll.needed(format("aac", 1024)) == 2 && AudioPreroll.needed(format("alac", 4096)) == 0)
        #expect([120, 480, 960, 2880, 0].map { AudioPreroll.needed(format("opus", $0)) } == [64, 16, 8, 3, 8])
        #expect(AudioPreroll.needed(format("mp3", 1152)) == 10)
        #expect(AudioPreroll.stored(format("alac", 4096)) == 2)
        let pcm = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 2)
        #expect(AudioPreroll.needed(pcm) == 0 && AudioPreroll.stored(pcm) == 0)
    }
}

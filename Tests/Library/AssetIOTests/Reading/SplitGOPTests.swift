import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Files of a recording that was split in an open GOP of HEVC: the first one has the keyframe of the split too, hidden,
/// for the leading frames that belong there.
@Suite struct SplitGOPTests {
    private let fixture: ReadingFixture

    init() throws { fixture = try ReadingFixture() }

    /// Makes two seconds of open GOPs with a pyramid of B-frames.
    private func movie(_ pattern: String = "testsrc2") throws -> URL {
        try fixture.make(
            "\(pattern).mp4", ["\(pattern)=s=96x64:r=25:d=2"],
            [
                "-vf", ColorTags.none, "-pix_fmt", "yuv420p", "-c:v", "libx265", "-tag:v", "hvc1", "-x265-params",
                "log-level=none:open-gop=1:keyint=12:min-keyint=12:scenecut=0:bframes=3:b-adapt=0:b-pyramid=1",
            ])
    }

    /// Writes packets as the recorder does.
    private func write(
        _ packets: some Collection<SampleBuffer>, _ name: String, from start: MediaTime, to end: MediaTime?
    ) async throws -> Asset {
        let url = fixture.directory.file(name)
        let writer = try AssetWriter(outputURL: url)
        let format = try #require(packets.first?.format)
        let input = try AssetWriterInput(mediaType: .video, outputSettings: nil, sourceFormatHint: format)
        let receiver = try writer.inputReceiver(for: input)
        try writer.startWriting()
        try writer.startSession(atSourceTime: start)
        for packet in packets { try await receiver.append(packet) }
        receiver.finish()
        if let end { try writer.endSession(atSourceTime: end) }
        try await writer.finishWriting()
        return Asset(url: url)
    }

    /// Splits a movie at its third keyframe.
    private func split(_ movie: URL, _ name: String) async throws -> (first: Asset, second: Asset) {
        let packets = try await AssetReader.samples(Asset(url: movie), .video, nil)
        let keyframes = packets.indices.filter { packets[$0].isKeyframe }
        try #require(packets.count == 50 && keyframes.count >= 4)
        let (place, time) = (keyframes[2], packets[keyframes[2]].presentationTime)
        let leading = packets[place...].prefix { $0.isKeyframe || $0.presentationTime < time }
        try #require(leading.count == 4)
        let rest = packets[place...].filter { $0.presentationTime >= time }
        return (
            try await write(packets[..<leading.endIndex], "\(name)-1.mov", from: .zero, to: time),
            try await write(rest, "\(name)-2.mov", from: time, to: nil)
        )
    }

    /// Returns the hashes of the frames that FFmpeg shows, in order.
    private func shown(_ url: URL) throws -> [Substring] {
        let result = try Command.run(
            "ffmpeg", "-v", "error", "-xerror", "-i", url.path, "-map", "0:v:0", "-fps_mode", "passthrough", "-f",
            "framemd5", "-")
        try #require(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
        return result.text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap {
            $0.split(separator: ",").last
        }
    }

    @Test func files_ofASplitGOP_showEachFrameOnce() async throws {
        let movie = try movie()
        let (first, second) = try await split(movie, "a")
        let frames = try shown(try #require(first.url)) + shown(try #require(second.url))
        #expect(try frames == shown(movie))
    }

    @Test func passthrough_filesOfASplitGOP_areJoinedWithoutALoss() async throws {
        let movie = try movie()
        let (first, second) = try await split(movie, "a")
        let joined = Asset(try await Composition.joining([first, second]))
        let packets = try await AssetReader.samples(joined, .video, nil)
        let times = packets.map { $0.decodeTime ?? $0.presentationTime }
        #expect(packets.count == 50 && zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        let copy = try await ExportedCopy(of: joined, in: fixture.directory, preset: .passthrough)
        #expect(try shown(copy.url) == shown(movie))
        let probe = try Probe(copy.url.path, decodes: true)
        #expect(probe.complaints.isEmpty && probe.video?.frames == 50, "\(probe.complaints)")
    }

    @Test func passthrough_rangeAcrossASplitGOP_showsExactlyItsFrames() async throws {
        let movie = try movie()
        let (first, second) = try await split(movie, "a")
        let joined = Asset(try await Composition.joining([first, second]))
        let all = try shown(movie)
        for (start, end) in [(10, 30), (20, 40), (23, 26)] {
            let copy = try await ExportedCopy(of: joined, in: fixture.directory, preset: .passthrough) {
                $0.timeRange = TimeRange(
                    start: MediaTime(value: Int64(start), timescale: 25),
                    end: MediaTime(value: Int64(end), timescale: 25))
            }
            #expect(try shown(copy.url) == Array(all[start..<end]), "\(start)..<\(end)")
        }
    }

    @Test func passthrough_otherFileAfterASplitGOP_isRefused() async throws {
        let (first, _) = try await split(try movie(), "a")
        let (_, other) = try await split(try movie("smptebars"), "b")
        let joined = Asset(try await Composition.joining([first, other]))
        let (reader, output) = try await AssetReader.reading(joined, .video, nil)
        _ = output.all()
        #expect(reader.status == .failed && reader.error?.code == .unsupported)
        #expect(reader.error?.wayOut.contains("re-encode") == true)
    }
}

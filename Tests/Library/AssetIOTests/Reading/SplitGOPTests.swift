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

    /// Splits a movie at some of its keyframes, counted from 0.
    private func split(_ movie: URL, _ name: String, at numbers: [Int] = [2]) async throws -> [Asset] {
        let packets = try await AssetReader.samples(Asset(url: movie), .video, nil)
        let keyframes = packets.indices.filter { packets[$0].isKeyframe }
        try #require(packets.count == 50 && keyframes.count >= 4)
        var parts: [Asset] = []
        var first = 0
        for place in numbers.map({ keyframes[$0] }) + [packets.count] {
            let start = packets[first].presentationTime
            let end = packets.indices.contains(place) ? packets[place].presentationTime : nil
            let leading = packets[place...].prefix { packet in
                packet.isKeyframe || end.map { packet.presentationTime < $0 } ?? false
            }
            try #require(leading.count == (end == nil ? 0 : 4))
            let own = packets[first..<leading.endIndex].filter { $0.presentationTime >= start }
            parts.append(try await write(own, "\(name)-\(parts.count + 1).mov", from: start, to: end))
            first = place
        }
        return parts
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
        let frames = try await split(movie, "a").flatMap { try shown(try #require($0.url)) }
        #expect(try frames == shown(movie))
    }

    @Test(arguments: [[2], [1, 3], [1, 2, 3]])
    func passthrough_filesOfSplitGOPs_areJoinedWithoutALoss(at numbers: [Int]) async throws {
        let movie = try movie()
        let joined = Asset(try await Composition.joining(try await split(movie, "a", at: numbers)))
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
        let joined = Asset(try await Composition.joining(try await split(movie, "a")))
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
        let parts = try await split(try movie(), "a")
        let others = try await split(try movie("smptebars"), "b")
        try await expectRefusal(of: [parts[0], others[1]])
    }

    @Test(arguments: [[0, 2, 1], [1, 0, 2]])
    func passthrough_filesInAnotherOrder_areRefused(order: [Int]) async throws {
        let parts = try await split(try movie(), "a", at: [1, 3])
        try await expectRefusal(of: order.map { parts[$0] })
    }

    private func expectRefusal(of parts: [Asset]) async throws {
        let joined = Asset(try await Composition.joining(parts))
        let (reader, output) = try await AssetReader.reading(joined, .video, nil)
        _ = output.all()
        #expect(reader.status == .failed && reader.error?.code == .unsupported)
        let wayOut = reader.error?.wayOut ?? ""
        #expect(wayOut.contains("in the order in which they were made") && wayOut.contains("re-encode"), "\(wayOut)")
    }
}

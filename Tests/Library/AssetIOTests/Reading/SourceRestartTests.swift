import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests that a source restarts with other ranges in any state.
@Suite struct SourceRestartTests {
    private func range(_ start: Int64, _ end: Int64) -> TimeRange {
        TimeRange(start: MediaTime(value: start, timescale: 30), end: MediaTime(value: end, timescale: 30))
    }

    private func frames(_ samples: [SampleBuffer]) -> [Int64] { samples.map { $0.presentationTime.ticks(in: 30) } }

    @Test func source_restartedInARange_readsTheNewRanges() async throws {
        let fixture = try ReadingFixture()
        let asset = Asset(url: try fixture.movie())
        let track = try #require(try await asset.tracks(withMediaType: .video).first)
        let source = try asset.source(
            of: track, ranges: [range(3, 25), range(26, 28)], SourceOptions(settings: .pixels(nil)))
        #expect(try source.next()?.presentationTime == range(3, 25).start)
        source.restart(ranges: [range(20, 22)])
        #expect(frames(try source.rest()) == [20, 21])
        source.restart(ranges: [range(1, 3), range(29, 40)])
        #expect(frames(try source.rest()) == [1, 2, 29])
    }

    @Test func source_restartedAfterAFailure_reads() async throws {
        let fixture = try ReadingFixture()
        let whole = try fixture.movie()
        // The packets of a part of the second half become noise.
        var bytes = try Data(contentsOf: whole)
        let packets = try JudgedPacket.list(whole)
        for packet in packets where packet.time > 0.6 && packet.time < 0.8 {
            for at in (packet.position + 5)..<(packet.position + packet.size) { bytes[at] = 0xFF }
        }
        let damaged = fixture.directory.file("damaged.mov")
        try bytes.write(to: damaged)
        let asset = Asset(url: damaged)
        let track = try #require(try await asset.tracks(withMediaType: .video).first)
        let source = try asset.source(
            of: track, ranges: [range(0, 30)], SourceOptions(settings: .pixels(nil), threadCount: 1))
        let error = #expect(throws: MediaError.self) { try source.rest() }
        #expect(error?.code == .corruptData)
        #expect(throws: MediaError.self) { try source.next() }
        source.restart(ranges: [range(2, 6)])
        #expect(frames(try source.rest()) == [2, 3, 4, 5])
    }

    @Test func mixSource_restarted_readsTheNewRanges() async throws {
        let fixture = try ReadingFixture()
        let asset = Asset(url: try fixture.movie())
        let track = try #require(try await asset.tracks(withMediaType: .audio).first)
        let mix = try MixSource(
            [track], of: asset, format: AudioFormat(codec: .linearPCM, sampleRate: 48_000, channelCount: 1, pcm: .s16),
            mix: nil,
            ranges: [range(0, 30)])
        _ = try mix.next()
        mix.restart(ranges: [range(6, 12)])
        let blocks = try mix.rest()
        #expect(blocks.first?.presentationTime.seconds == 0.2)
        #expect(blocks.reduce(0) { $0 + $1.sampleCount } == 9600)
    }

    @Test func compositionSource_restartedInASegment_readsTheNewRanges() async throws {
        let fixture = try ReadingFixture()
        let asset = Asset(url: try fixture.movie())
        let track = try #require(try await asset.tracks(withMediaType: .video).first)
        var composition = Composition()
        let id = try composition.addTrack(mediaType: .video)
        try composition.insertTimeRange(range(0, 10), of: track, from: asset, at: .zero, into: id)
        let source = try CompositionSource(
            try #require(composition.track(withID: id)), options: SourceOptions(settings: .pixels(nil)),
            ranges: [range(0, 10)])
        _ = try source.next()
        source.restart(ranges: [range(7, 9)])
        #expect(frames(try source.rest()) == [7, 8])
    }
}

/// The places where ffprobe finds the packets of the first video track.
private struct JudgedPacket {
    var time: Double
    var position: Int
    var size: Int

    static func list(_ url: URL) throws -> [JudgedPacket] {
        let result = try Probe.ask(url.path, "packet=pts_time,size,pos", of: "v")
        return String(decoding: result.output, as: UTF8.self).split(separator: "\n").compactMap { line in
            let fields = line.split(separator: ",")
            guard fields.count >= 3, let time = Double(fields[0]), let size = Int(fields[1]),
                let position = Int(fields[2])
            else { return nil }
            return JudgedPacket(time: time, position: position, size: size)
        }
    }
}

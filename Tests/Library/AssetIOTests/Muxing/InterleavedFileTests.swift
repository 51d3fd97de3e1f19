import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of how far apart in the file samples are that are presented together.
@Suite struct InterleavedFileTests {
    /// The largest distance in time between the two tracks' packets, in file order.
    private func distance(_ path: String) throws -> Double {
        let result = try Probe.ask(path, "packet=stream_index,pts_time,pos", as: "json")
        struct Answer: Decodable { var packets: [Packet] }
        struct Packet: Decodable {
            var streamIndex: Int
            var ptsTime: String?
            var pos: String?
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let packets = try decoder.decode(Answer.self, from: result.output).packets
            .compactMap { packet in
                packet.pos.flatMap(Int.init).map {
                    ($0, packet.streamIndex, packet.ptsTime.flatMap(Double.init) ?? 0)
                }
            }
            .sorted { $0.0 < $1.0 }
        var times = [0.0, 0.0]
        var largest = 0.0
        for (_, stream, time) in packets {
            times[stream] = max(times[stream], time)
            largest = max(largest, abs(times[0] - times[1]))
        }
        #expect(packets.count > 600)
        return largest
    }

    @Test func writer_pullInputsAtFullSpeed_interleavesClosely() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addPullVideo()
        let audio = try fixture.addPullAudio()
        try fixture.begin()
        // Each is fed as fast as possible.
        async let frames: Void = video.feed(.receiver, 450) { WriterFixture.frame($0) }
        async let audioFeed: Void = audio.feed(.receiver, 450) { WriterFixture.audio($0) }
        _ = try await (frames, audioFeed)
        try await fixture.writer.finishWriting()
        // The window, a fragment, and the encoder's look-ahead.
        #expect(try distance(fixture.path) < 4)
    }

    @Test func writer_liveInputsFedOneAfterAnother_interleavesBadly() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addVideo()
        let audio = try fixture.addAudio()
        try fixture.begin()
        // The order of a file whose audio follows its video: nothing holds the frames back.
        try fixture.appendFrames(0..<450, to: video)
        #expect(eventually { video.ledger.written > 350 })
        try fixture.appendTone(0..<450, to: audio)
        try await fixture.writer.finishWriting()
        #expect(video.ledger.written == 450 && audio.ledger.written == 720_000)
        #expect(try distance(fixture.path) > 10)
    }
}

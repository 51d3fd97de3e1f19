import Demuxing
import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import RecorderControl

/// The live stream of a camera that delivers HEVC with open GOPs and a pyramid of B-frames, judged by FFmpeg.
@Suite struct LiveHEVCTests {
    private let place: TemporaryDirectory

    init() throws { place = try TemporaryDirectory() }

    /// Returns two seconds of x265 in decode order. All keyframes but the first are CRA pictures with RASL pictures.
    private static func packets() throws -> [SampleBuffer] {
        let movie = try MadeFile.of(
            [
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x192:r=25:d=2", "-pix_fmt", "yuv420p",
                "-c:v", "libx265", "-x265-params",
                "log-level=none:open-gop=1:keyint=12:min-keyint=12:scenecut=0:bframes=3:b-adapt=0:b-pyramid=1",
                "-tag:v", "hvc1",
            ], ending: "mp4")
        let demuxer = try MovieDemuxer(path: movie.path)
        var packets: [SampleBuffer] = []
        while let packet = try demuxer.next() { packets.append(packet.sample) }
        return packets
    }

    /// Writes a stream of packets to a file, and returns what FFmpeg reports about it.
    private func judged(_ packets: some Sequence<SampleBuffer>) throws -> (probe: Probe, codecs: String) {
        var stream = LiveStream(hasAudio: false)
        var bytes = Data()
        for packet in packets { bytes += stream.bytes(of: packet) }
        try bytes.write(to: URL(fileURLWithPath: place.path("live.mp4")))
        return (try Probe(place.path("live.mp4"), decodes: true), try #require(stream.codecs))
    }

    @Test func stream_ofOpenGOPs_hasEveryFrame() throws {
        let packets = try Self.packets()
        try #require(packets.count == 50 && packets.filter(\.isKeyframe).count >= 4)
        let (probe, codecs) = try judged(packets)
        #expect(probe.complaints.isEmpty, "\(probe.complaints)")
        #expect(probe.video?.codecName == "hevc" && probe.video?.frames == packets.count)
        #expect(codecs.hasPrefix("hvc1.1.6.L") && codecs.hasSuffix(".90"), "\(codecs)")
    }

    /// The frames that are shown before the first keyframe depend on frames that the viewer never got.
    @Test func viewer_joiningAtAnOpenGOP_getsTheFramesThatCanBeDecoded() throws {
        let packets = try Self.packets()
        let keyframes = packets.indices.filter { packets[$0].isKeyframe }
        let first = try #require(keyframes.dropFirst().first)
        let time = packets[first].presentationTime
        let leading = packets[first...].filter { $0.presentationTime < time }
        try #require(!leading.isEmpty)
        var queue = LiveQueue(limit: 16 << 20, hasVideo: true)
        // The viewer joins between two keyframes.
        for packet in packets[(first - 3)...] { queue.push(packet) }
        let queued = Array(queue.popAll())
        #expect(queued.first?.presentationTime == time)
        #expect(queued.count == packets.count - first - leading.count)
        let (probe, _) = try judged(queued)
        #expect(probe.complaints.isEmpty, "\(probe.complaints)")
        #expect(probe.video?.frames == queued.count)
    }
}

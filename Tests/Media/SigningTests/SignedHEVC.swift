import AssetIO
import Foundation
import MediaTypes
import MovieFile
import TestSupport
import Testing

@testable import Signing

/// A signed recording of HEVC with open GOPs, as a network camera sends it: each keyframe but the first has leading
/// frames, and the color is only in the parameter sets.
enum SignedHEVC {
    static let frameCount = 100

    static func make(_ fileType: FileType = .mov) async throws -> [UInt8] {
        let packets = try await packets()
        try #require(packets.count == frameCount)
        // A receiver knows the codec, the size and the parameter sets.
        guard case .video(let read) = packets[0].format, !read.decoderConfiguration.isEmpty, read.color == .bt601
        else { throw MediaError(.corruptData, "cannot make a signed recording", reason: "the packets have no color") }
        let format = FormatDescription.video(
            VideoFormat(
                codec: .hevc, width: read.width, height: read.height, decoderConfiguration: read.decoderConfiguration))
        let start = MediaTime(value: 77_000_123, timescale: 1_000_000)
        let samples = packets.map { packet in
            TrackSample(
                track: 0,
                sample: SampleBuffer(
                    format: format, content: packet.content, presentationTime: packet.presentationTime + start,
                    decodeTime: packet.decodeTime.map { $0 + start }, duration: packet.duration,
                    isKeyframe: packet.isKeyframe))
        }
        let sealing = SignedMovie.signer().file(begun: SignedMovie.begun)
        let storage = MemoryStorage()
        let writer = MovieFileWriter(
            storage: storage, fileType: fileType, timeScale: 1_000_000, creationTime: 1_700_000_000, metadata: [],
            tracks: [MovieTrack(id: 1, mediaType: .video, format: format, timeScale: 1_000_000)], sessionStart: start,
            sealing: sealing)
        // Fragments end anywhere in a GOP.
        for first in stride(from: 0, to: samples.count, by: 10) {
            let end = min(first + 10, samples.count)
            try writer.writeFragment(Array(samples[first..<end]), next: end < samples.count ? samples[end] : nil)
        }
        var facts = FinishingInfo()
        let end = sealing.end(movieEnd: facts.sessionEnd, trackEnds: facts.trackEnds, metadata: facts.metadata)
        if let end { facts.metadata.append(end) }
        try MovieFinisher.finish(storage, facts: facts)
        return storage.bytes
    }

    /// Returns the packets of four seconds of x265, in the order of decoding.
    private static func packets() async throws -> [SampleBuffer] {
        let url = try MadeFile.of(
            [
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=4", "-vf",
                ColorTags.filter(primaries: "smpte170m", transfer: "smpte170m", matrix: "smpte170m", range: "tv"),
                "-pix_fmt", "yuv420p", "-c:v", "libx265", "-tag:v", "hvc1", "-x265-params",
                "log-level=none:open-gop=1:keyint=12:min-keyint=12:scenecut=0:bframes=3:b-adapt=0:b-pyramid=1",
            ], ending: "mp4")
        let asset = Asset(url: url)
        let track = try #require(try await asset.tracks(withMediaType: .video).first)
        let output = try TrackOutput(track: track)
        let reader = try AssetReader(asset: asset)
        try reader.add(output)
        try reader.startReading()
        var packets: [SampleBuffer] = []
        while let packet = output.copyNextSampleBuffer() { packets.append(packet) }
        try #require(reader.status == .completed, "\(String(describing: reader.error))")
        return packets
    }
}

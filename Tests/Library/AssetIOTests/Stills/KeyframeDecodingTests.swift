import Demuxing
import MediaCodecs
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// A keyframe that is decoded alone, as for a snapshot of a camera whose packets pass through.
@Suite struct KeyframeDecodingTests {
    /// Encoder options of movies with open GOPs; all keyframes of the second but the first are CRA pictures.
    private static let encoders = [
        ["-c:v", "libx264", "-x264-params", "keyint=12:bframes=3", "-pix_fmt", "yuv420p"],
        [
            "-c:v", "libx265", "-tag:v", "hvc1", "-pix_fmt", "yuv420p", "-x265-params",
            "log-level=none:open-gop=1:keyint=12:min-keyint=12:scenecut=0:bframes=3:b-adapt=0",
        ],
        [
            "-c:v", "libx265", "-tag:v", "hvc1", "-pix_fmt", "yuv420p10le", "-x265-params",
            "log-level=none:open-gop=1:keyint=12",
        ],
    ]

    /// Returns the packets of two seconds of an encoder, and the demuxer's track.
    private func read(
        _ options: [String]
    ) throws -> (packets: [MovieDemuxer.Packet], track: MovieDemuxer.Track) {
        let movie = try MadeFile.of(
            ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=2"] + options, ending: "mp4")
        let demuxer = try MovieDemuxer(path: movie.path)
        var packets: [MovieDemuxer.Packet] = []
        while let packet = try demuxer.next() { packets.append(packet) }
        return (packets, demuxer.tracks[0])
    }

    @Test(arguments: encoders) func keyframe_decodedAlone_isTheFrameOfTheMovie(options: [String]) throws {
        let (packets, track) = try read(options)
        let video = try #require(track.format?.video)
        let decoder = try VideoDecoder(
            format: video, hints: DecoderHints(codecName: track.codecName, videoDelay: track.videoDelay),
            timeScale: track.timeScale, pixelFormat: nil, sharesMemory: false, threadCount: 1)
        var frames: [SampleBuffer] = []
        for packet in packets { try decoder.decode(CodedSample(packet.sample)) { frames.append($0) } }
        try decoder.finish { frames.append($0) }
        let keyframes = packets.filter(\.sample.isKeyframe)
        try #require(keyframes.count >= 4 && frames.count == packets.count)
        for keyframe in keyframes {
            let alone = try PixelBuffer.decoding(keyframe: keyframe.sample)
            let time = keyframe.sample.presentationTime.ticks(in: track.timeScale)
            let frame = try #require(frames.first { $0.presentationTime.ticks(in: track.timeScale) == time })
            guard case .pixels(let pixels) = frame.content else {
                Issue.record("not decoded")
                continue
            }
            let (image, expected) = (try alone.encoded(as: .png), try pixels.encoded(as: .png))
            #expect(Array(image.bytes) == Array(expected.bytes))
        }
    }

    @Test(arguments: encoders) func keyframe_thatIsDamaged_isAnError(options: [String]) throws {
        let sample = try #require(try read(options).packets.first?.sample)
        guard case .data(let data) = sample.content else {
            Issue.record("no packet")
            return
        }
        for count in [0, 3, 5, data.count / 2, data.count - 1] {
            let cut = SampleBuffer(
                format: sample.format, content: .data(MediaData(Array(data.bytes.prefix(count)))),
                presentationTime: sample.presentationTime, isKeyframe: true)
            #expect(throws: MediaError.self, "\(count) of \(data.count) bytes") {
                try PixelBuffer.decoding(keyframe: cut)
            }
        }
    }

    @Test func keyframe_ofAnUnknownCodec_isAnError() {
        let sample = SampleBuffer(
            format: .video(VideoFormat(codec: VideoCodec(rawValue: "none"), width: 64, height: 48)),
            content: .data(MediaData([1, 2, 3])), presentationTime: .zero, isKeyframe: true)
        #expect { try PixelBuffer.decoding(keyframe: sample) } throws: { ($0 as? MediaError)?.code == .unsupported }
    }
}

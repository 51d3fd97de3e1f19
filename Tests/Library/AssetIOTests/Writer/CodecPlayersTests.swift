import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of movies of the codecs besides H.264 in other players, with decoders that are not FFmpeg's where there are
/// any: GStreamer, frame by frame, and Chromium, as far as its build can.
@Suite(.serialized, .timeLimit(.minutes(10))) struct CodecPlayersTests {
    private struct Movie: Sendable {
        var codec: VideoCodec
        var file = "movie.mov"
        var format = PixelFormat.nv12
        /// GStreamer's caps of the stream and its format of the decoded frames; ffmpeg's name of the same format.
        var stream: String
        var layout = "I420"
        var pixels = "yuv420p"
        /// A GStreamer decoder that is not libavcodec's, if there is one.
        var decoder: String?
        /// The MIME type that the browser is asked about.
        var type: String
        var change: @Sendable (inout VideoSettings) -> Void = { _ in }
    }

    private static let movies: [String: Movie] = [
        "hevc": Movie(
            codec: .hevc, stream: "video/x-h265", decoder: "libde265dec", type: "video/mp4; codecs=\"hvc1.1.6.L60.90\"",
            change: { $0.maximumBFrames = 3 }),
        "hevc in mp4": Movie(
            codec: .hevc, file: "movie.mp4", stream: "video/x-h265", decoder: "libde265dec",
            type: "video/mp4; codecs=\"hvc1.1.6.L60.90\""),
        "hevc main10": Movie(
            codec: .hevc, file: "movie.mp4", format: .p010, stream: "video/x-h265", layout: "I420_10LE",
            pixels: "yuv420p10le", type: "video/mp4; codecs=\"hvc1.2.4.L60.90\"", change: { $0.profile = .main10 }),
        "av1": Movie(
            codec: .av1, file: "movie.mp4", stream: "video/x-av1", decoder: "av1dec",
            type: "video/mp4; codecs=\"av01.0.00M.08\""),
        "av1 in mov": Movie(
            codec: .av1, stream: "video/x-av1", decoder: "av1dec", type: "video/mp4; codecs=\"av01.0.00M.08\""),
        "av1 of ten bits": Movie(
            codec: .av1, file: "movie.mp4", format: .p010, stream: "video/x-av1", layout: "I420_10LE",
            pixels: "yuv420p10le", decoder: "av1dec", type: "video/mp4; codecs=\"av01.0.00M.10\"",
            change: { $0.bitDepth = 10 }),
        "jpeg": Movie(
            codec: .mjpeg, stream: "image/jpeg", pixels: "yuvj420p", decoder: "jpegdec",
            type: "video/mp4; codecs=\"jpeg\""),
        "prores 422": Movie(
            codec: .proRes422, format: .i210, stream: "video/x-prores", layout: "I422_10LE", pixels: "yuv422p10le",
            type: "video/quicktime; codecs=\"apcn\""),
        "prores 422 hq": Movie(
            codec: .proRes422HQ, format: .i210, stream: "video/x-prores", layout: "I422_10LE", pixels: "yuv422p10le",
            type: "video/quicktime; codecs=\"apch\""),
    ]

    private func movie(_ key: String) async throws -> (wanted: Movie, movie: CodecMovie) {
        let wanted = try #require(Self.movies[key])
        return (wanted, try await CodecMovie(wanted.codec, in: wanted.file, wanted.format, change: wanted.change))
    }

    // MARK: GStreamer

    /// Decodes a movie with GStreamer. Returns the frames one after the other, and their presentation times.
    ///
    /// - Parameter decoder: a GStreamer element; nil for the choice of `decodebin`.
    private func decoded(_ movie: CodecMovie, _ wanted: Movie, by decoder: String?) throws -> (Data, [Double]) {
        let target = movie.fixture.directory.path("\(decoder ?? "decodebin").raw")
        // A parser converts the stream to the form that the decoder accepts.
        let parser = [VideoCodec.hevc: "h265parse ! ", .av1: "av1parse ! "][wanted.codec] ?? ""
        let middle = decoder.map { "\(parser)\($0)" } ?? "decodebin"
        let line =
            "filesrc location=\(movie.path) ! qtdemux name=d d.video_0 ! \(wanted.stream) ! \(middle) ! "
            + "video/x-raw,format=\(wanted.layout) ! identity name=seen silent=false ! filesink location=\(target)"
        let result = try Command.run(["gst-launch-1.0", "-v"] + line.split(separator: " ").map(String.init))
        guard result.status == 0, !result.errors.contains("ERROR") else {
            throw Command.Failure(description: "gst-launch-1.0: \(result.errors)")
        }
        // "seen: last-message = chain … (seen:sink) (86400 bytes, dts: none, pts: 0:00:00.033333333, …"
        let times = result.text.split(separator: "\n").compactMap { line -> Double? in
            guard line.contains("seen: last-message = chain"), let part = line.components(separatedBy: "pts: ").last
            else { return nil }
            let parts = part.prefix { $0 != "," }.split(separator: ":").compactMap { Double($0) }
            return parts.count == 3 ? parts[0] * 3600 + parts[1] * 60 + parts[2] : nil
        }
        return (try Data(contentsOf: URL(fileURLWithPath: target)), times)
    }

    @Test(arguments: movies.keys.sorted())
    func gstreamer_everyCodec_decodesLikeFFmpeg(_ key: String) async throws {
        let (wanted, movie) = try await movie(key)
        let reference = try Command.run(
            "ffmpeg", "-v", "error", "-i", movie.path, "-fps_mode", "passthrough", "-pix_fmt", wanted.pixels, "-f",
            "rawvideo", "-"
        ).output
        let samples = CodecMovie.width * CodecMovie.height
        let frameBytes =
            (wanted.layout.contains("422") ? samples * 2 : samples * 3 / 2) * (wanted.layout.hasSuffix("10LE") ? 2 : 1)
        #expect(reference.count == CodecMovie.count * frameBytes)
        let decoders: [String?] = [nil] + (wanted.decoder.map { [$0] } ?? [])
        for decoder in decoders {
            let (frames, times) = try decoded(movie, wanted, by: decoder)
            #expect(frames.count == CodecMovie.count * frameBytes, "\(frames.count / frameBytes) frames")
            #expect(times.count == CodecMovie.count)
            for (number, time) in times.enumerated() {
                // GStreamer counts from the first decode time; its segment has the start of the movie.
                #expect(abs(time - times[0] - CodecMovie.seconds(number)) < 1e-4, "frame \(number)")
            }
            if wanted.codec == .mjpeg {
                // The standard leaves the rounding to the decoder.
                let differences = zip(frames, reference).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
                #expect(Double(differences) / Double(reference.count) < 0.5)
            } else {
                #expect(frames == reference, "\(decoder ?? "decodebin")")
            }
        }
    }

    /// GStreamer's only decoder for ProRes and for ten-bit HEVC is libavcodec's, which is not a second opinion.
    @Test func gstreamer_usedDecoders_areIndependentOfLibav() throws {
        for decoder in ["libde265dec", "av1dec", "jpegdec"] {
            let known = try Command.run("gst-inspect-1.0", decoder)
            #expect(known.status == 0 && !known.text.contains("libav "), "\(decoder): \(known.errors)")
        }
        let decoders = try Command.run("gst-inspect-1.0").text.split(separator: "\n")
        let ofProRes = decoders.filter { $0.lowercased().contains("prores") && $0.contains("decoder") }
        #expect(ofProRes.count == 1 && ofProRes[0].contains("avdec_prores"), "\(ofProRes)")
    }

    // MARK: Chromium

    private struct Shown: Decodable {
        var error: String?
        var width: Int?
        var height: Int?
        var duration: Double?
        var seekedTo: Double?
        var seekedPixel: [Double]?
        var framesPlayed: Int?
        var warnings: [String]
    }

    /// Chromium plays every frame of the formats that it claims to play, and refuses the others. A program that offers
    /// our movies relies on that.
    @Test func chromium_playsExactlyTheCodecsItClaims() async throws {
        let keys = Self.movies.keys.sorted()
        let types = keys.compactMap { Self.movies[$0]?.type }
        let asked = try PythonJudge.run("can_play.py", types)
        #expect(asked.status == 0, "\(asked.errors)")
        let answers = try JSONDecoder().decode([String: String].self, from: asked.output)
        for key in keys {
            let (wanted, movie) = try await movie(key)
            let canPlay = try #require(answers[wanted.type]) != ""
            // Debian's build has AV1 in both depths. It decodes HEVC only with the machine's help, and never ProRes or
            // JPEG.
            if wanted.codec == .av1 { #expect(canPlay, "\(key)") }
            if wanted.codec == .mjpeg || wanted.codec.proResTag != nil { #expect(!canPlay, "\(key)") }
            let result = try PythonJudge.run("browser.py", movie.path)
            let shown = try JSONDecoder().decode(Shown.self, from: result.output)
            #expect((shown.error == nil) == canPlay, "\(key): \(result.text)")
            guard canPlay else {
                #expect(shown.error?.contains("no supported streams") == true, "\(key): \(result.text)")
                continue
            }
            #expect(shown.warnings.isEmpty && shown.width == CodecMovie.width && shown.height == CodecMovie.height)
            #expect(abs((shown.duration ?? 0) - 1.2) < 0.01 && (shown.framesPlayed ?? 0) >= CodecMovie.count)
            // The middle of the movie is frame 18.
            #expect(abs((shown.seekedTo ?? 0) - CodecMovie.seconds(18)) < 0.001)
            let pixel = try #require(shown.seekedPixel)
            for (value, expected) in zip(pixel, Self.middle(18)) {
                #expect(abs(value - expected) < 14, "\(key): \(pixel), not \(Self.middle(18))")
            }
        }
    }

    /// Red, green and blue in the middle of a frame, by BT.709.
    private static func middle(_ number: Int) -> [Double] {
        let (x, y) = (CodecMovie.width / 2, CodecMovie.height / 2)
        let luma = Double(CodecMovie.luma(x, y, number) - 64) / 876
        let (blue, red) = (
            Double(CodecMovie.chroma(x / 2, 1) - 512) / 896, Double(CodecMovie.chroma(x / 2, 2) - 512) / 896
        )
        let values = [luma + 1.5748 * red, luma - 0.1873 * blue - 0.4681 * red, luma + 1.8556 * blue]
        return values.map { min(255, max(0, $0 * 255)) }
    }
}

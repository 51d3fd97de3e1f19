import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of movies of every codec that is encoded, verified with other programs.
@Suite struct CodecMovieTests {
    private struct Expectation: Sendable {
        var codec: VideoCodec
        var name: String
        var tag: String
        var profile: String?
        var pixels: String
        /// The least fidelity to the source, in decibels.
        var fidelity: Double
        var file = "movie.mov"
        var format = PixelFormat.nv12
        var change: @Sendable (inout VideoSettings) -> Void = { _ in }
    }

    private static let expectations: [String: Expectation] = [
        "h264": Expectation(
            codec: .h264, name: "h264", tag: "avc1", profile: "Constrained Baseline", pixels: "yuv420p", fidelity: 36),
        "hevc": Expectation(
            codec: .hevc, name: "hevc", tag: "hvc1", profile: "Main", pixels: "yuv420p", fidelity: 36),
        "hevc in mp4": Expectation(
            codec: .hevc, name: "hevc", tag: "hvc1", profile: "Main", pixels: "yuv420p", fidelity: 36,
            file: "movie.mp4", change: { $0.maximumBFrames = 3 }),
        "hevc main10": Expectation(
            codec: .hevc, name: "hevc", tag: "hvc1", profile: "Main 10", pixels: "yuv420p10le", fidelity: 36,
            format: .p010, change: { $0.profile = .main10 }),
        "av1": Expectation(
            codec: .av1, name: "av1", tag: "av01", profile: "Main", pixels: "yuv420p", fidelity: 36),
        "av1 in mp4": Expectation(
            codec: .av1, name: "av1", tag: "av01", profile: "Main", pixels: "yuv420p10le", fidelity: 36,
            file: "movie.mp4", format: .p010, change: { $0.bitDepth = 10 }),
        "jpeg": Expectation(
            codec: .mjpeg, name: "mjpeg", tag: "jpeg", profile: "Baseline", pixels: "yuvj420p", fidelity: 36),
        "proxy": Expectation(
            codec: .proRes422Proxy, name: "prores", tag: "apco", profile: "Proxy", pixels: "yuv422p10le", fidelity: 34,
            format: .i210),
        "lt": Expectation(
            codec: .proRes422LT, name: "prores", tag: "apcs", profile: "LT", pixels: "yuv422p10le", fidelity: 38,
            format: .i210),
        "422": Expectation(
            codec: .proRes422, name: "prores", tag: "apcn", profile: "Standard", pixels: "yuv422p10le", fidelity: 40,
            format: .i210),
        "hq": Expectation(
            codec: .proRes422HQ, name: "prores", tag: "apch", profile: "HQ", pixels: "yuv422p10le", fidelity: 42,
            format: .i210),
    ]

    @Test(arguments: expectations.keys.sorted()) func writer_everyCodec_makesAMovieThatFFmpegReads(_ key: String)
        async throws
    {
        let wanted = try #require(Self.expectations[key])
        let movie = try await CodecMovie(wanted.codec, in: wanted.file, wanted.format, change: wanted.change)
        let facts = try movie.facts()
        #expect(facts["codec_name"] == wanted.name && facts["codec_tag_string"] == wanted.tag)
        #expect(facts["pix_fmt"] == wanted.pixels && facts["nb_read_frames"] == "\(CodecMovie.count)")
        if let profile = wanted.profile { #expect(facts["profile"] == profile) }
        if wanted.codec == .mjpeg {
            // JPEG has a fixed matrix and range (ITU-T T.871).
            #expect(facts["color_range"] == "pc" && facts["color_space"] == "bt470bg")
        } else {
            #expect(facts["color_space"] == "bt709" && facts["color_primaries"] == "bt709")
            #expect(facts["color_transfer"] == "bt709" && facts["color_range"] != "pc")
        }
        let fidelity = try movie.fidelity()
        #expect(fidelity > wanted.fidelity, "\(key): \(fidelity) dB")

        let packets = try movie.packets()
        #expect(packets.count == CodecMovie.count && packets[0].isKeyframe)
        let isIntra = wanted.codec == .mjpeg || wanted.name == "prores"
        #expect(packets.filter(\.isKeyframe).count == (isIntra ? CodecMovie.count : 3))
        for (number, time) in packets.map(\.shown).sorted().enumerated() {
            #expect(abs(time - CodecMovie.seconds(number)) < 1e-5)
        }
        for (packet, next) in zip(packets, packets.dropFirst()) { #expect(packet.decoded < next.decoded) }
        for packet in packets { #expect(packet.decoded <= packet.shown + 1e-6) }
        if wanted.codec == .av1 || isIntra { #expect(packets.allSatisfy { $0.decoded == $0.shown }) }

        let probe = try Probe(movie.path)
        // ffprobe's first scan of a JPEG skips its data, and also its end if fewer than two bytes were escaped.
        let complaints = probe.complaints.split(separator: "\n").filter { !$0.contains("EOI missing") }
        #expect(complaints.isEmpty && probe.video?.start == 0, "\(complaints)")
        #expect(abs((probe.video?.seconds ?? 0) - 1.2) < 0.01)
        let mediainfo = try Command.run(
            "mediainfo", "--Output=Video;%Format%,%Width%,%Height%,%FrameCount%", movie.path)
        let names = ["h264": "AVC", "hevc": "HEVC", "av1": "AV1", "mjpeg": "JPEG", "prores": "ProRes"]
        #expect(
            mediainfo.text.trimmingCharacters(in: .whitespacesAndNewlines)
                == "\(names[wanted.name] ?? ""),320,180,\(CodecMovie.count)")
        let gstreamer = try Command.run("gst-discoverer-1.0", movie.path)
        #expect(gstreamer.status == 0 && gstreamer.text.contains("Duration: 0:00:01.2"), "\(gstreamer.text)")
    }

    @Test(arguments: [VideoCodec.h264, .hevc, .av1]) func writer_fullRange_isKept(_ codec: VideoCodec) async throws {
        var color = ColorDescription.bt709
        color.isFullRange = true
        for name in ["movie.mov", "movie.mp4"] {
            let movie = try await CodecMovie(codec, in: name, count: 6, color: color)
            #expect(try movie.facts()["color_range"] == "pc")
            #expect(try movie.fidelity(count: 6) > 34)
        }
    }

    @Test(arguments: [VideoCodec.hevc, .av1, .proRes422, .mjpeg])
    func writer_pixelAspectRatioAndCleanAperture_areStored(_ codec: VideoCodec) async throws {
        let movie = try await CodecMovie(codec, count: 3) {
            $0.pixelAspectRatio = Ratio(4, 3)
            $0.cleanAperture = CleanAperture(width: 300, height: 170)
        }
        #expect(try movie.facts()["sample_aspect_ratio"] == "4:3")
        let track = try #require(
            try await Asset(url: movie.fixture.writer.outputURL).tracks(withMediaType: .video).first)
        let format = try #require(track.formatDescription?.video)
        #expect(format.pixelAspectRatio == Ratio(4, 3))
        #expect(format.cleanAperture == CleanAperture(width: 300, height: 170))
    }

    @Test func writer_hevcBFrames_areReordered() async throws {
        for (frames, isReordered) in [(0, false), (3, true)] {
            let movie = try await CodecMovie(.hevc) { $0.maximumBFrames = frames }
            let packets = try movie.packets()
            #expect(zip(packets, packets.dropFirst()).contains { $0.shown > $1.shown } == isReordered)
            #expect(try movie.facts()["has_b_frames"] != "0" || !isReordered)
        }
    }

    @Test(arguments: [VideoCodec.hevc, .av1, .mjpeg]) func writer_qualityAndBitRate_haveEffect(_ codec: VideoCodec)
        async throws
    {
        var sizes: [Int] = []
        for control in [VideoSettings.RateControl.quality(0.2), .quality(0.5), .quality(0.95)] {
            sizes.append(try await CodecMovie(codec) { $0.rateControl = control }.bytes)
        }
        #expect(sizes[0] < sizes[1] && sizes[1] < sizes[2] && sizes[0] * 2 < sizes[2], "\(sizes)")
        let coarse = try await CodecMovie(codec) { $0.rateControl = .constantQuality(45) }
        let fine = try await CodecMovie(codec) { $0.rateControl = .constantQuality(15) }
        #expect(coarse.bytes < fine.bytes)
        #expect(try coarse.fidelity() < fine.fidelity())
        // JPEG frames share nothing: their headers alone are a tenth of a megabit per second.
        let low = codec == .mjpeg ? 250_000 : 150_000
        var rates: [Double] = []
        for rate in [low, low * 4] {
            rates.append(Double(try await CodecMovie(codec) { $0.rateControl = .bitRate(rate) }.bytes) * 8 / 1.2)
        }
        #expect(rates[0] * 1.25 < rates[1], "\(rates)")
        #expect(rates[0] < Double(low) * 2.5, "\(rates)")
    }

    @Test func proRes_variants_differInSize() async throws {
        var sizes: [Int] = []
        for codec in [VideoCodec.proRes422Proxy, .proRes422LT, .proRes422, .proRes422HQ] {
            sizes.append(try await CodecMovie(codec, .i210, count: 10).bytes)
        }
        #expect(sizes == sizes.sorted() && sizes[0] * 2 < sizes[3], "\(sizes)")
    }

    @Test(arguments: [PixelFormat.nv12, .i420, .i422, .p010, .i010, .i210])
    func proRes_everyLayout_isEncoded(_ format: PixelFormat) async throws {
        let movie = try await CodecMovie(.proRes422HQ, format, count: 3)
        #expect(try movie.fidelity(count: 3) > 40)
    }

    @Test func proRes_ownLayout_isReadUnchanged() async throws {
        let movie = try await CodecMovie(.proRes422HQ, .i210, count: 4)
        let stored = try Command.run(
            "ffmpeg", "-v", "error", "-i", movie.path, "-fps_mode", "passthrough", "-pix_fmt", "yuv422p10le", "-f",
            "rawvideo", "-")
        let asset = Asset(url: movie.fixture.writer.outputURL)
        let track = try #require(try await asset.tracks(withMediaType: .video).first)
        let reader = try AssetReader(asset: asset)
        let output = try TrackOutput(track: track, outputSettings: .pixels(.i210))
        try reader.add(output)
        try reader.startReading()
        var read = Data()
        while let sample = try await output.next() {
            guard case .pixels(let frame) = sample.content else { continue }
            #expect(frame.format == .i210)
            for (index, plane) in frame.layout.planes.enumerated() {
                let bytes = frame.plane(index)
                let length = (index == 0 ? CodecMovie.width : CodecMovie.width / 2) * 2
                for row in 0..<plane.rows { read += bytes[row * plane.bytesPerRow..<row * plane.bytesPerRow + length] }
            }
        }
        #expect(read.count == 4 * CodecMovie.width * CodecMovie.height * 4 && read == stored.output)
    }

    @Test func liveTrack_eachCodec_keepsEveryFrame() async throws {
        for codec in [VideoCodec.hevc, .av1, .mjpeg, .proRes422] {
            let fixture = try WriterFixture()
            let video = try fixture.add(
                .video,
                .video(
                    VideoSettings(codec: codec, width: 320, height: 180, preset: "ultrafast", expectedFrameRate: 30)))
            try fixture.begin()
            for number in 0..<30 {
                try video.append(SyntheticMedia.videoSample(number, at: WriterFixture.time(Double(number) / 30)))
            }
            try await fixture.writer.finishWriting()
            #expect(video.ledger.isBalanced && video.ledger.written == 30)
            #expect(try Probe(fixture.path, decodes: true).video?.frames == 30)
        }
    }
}

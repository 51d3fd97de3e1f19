import Foundation
import MediaTypes
import TestSupport

@testable import AssetIO

/// A movie that the writer makes of known moving frames, and the reference for its verification.
struct CodecMovie {
    static let width = 320
    static let height = 180
    static let count = 36

    let fixture: WriterFixture
    let format: PixelFormat
    var path: String { fixture.path }
    var bytes: Int { (try? Data(contentsOf: fixture.writer.outputURL).count) ?? 0 }

    /// - Parameter change: a change of settings that already make an encoder fast.
    init(
        _ codec: VideoCodec, in name: String = "movie.mov", _ format: PixelFormat = .nv12, count: Int = count,
        color: ColorDescription = .bt709, hint: VideoFormat? = nil, change: (inout VideoSettings) -> Void = { _ in }
    ) async throws {
        self.format = format
        fixture = try WriterFixture(name: name)
        var settings = VideoSettings(
            codec: codec, width: Self.width, height: Self.height, preset: "ultrafast",
            keyframeInterval: MediaTime(value: 1, timescale: 2), expectedFrameRate: 30,
            color: hint == nil ? color : nil)
        change(&settings)
        let video = try fixture.addPull(.video, .video(settings), hint: hint.map { .video($0) })
        try fixture.begin()
        try await video.feed(.receiver, count) { number in
            SampleBuffer(
                pixels: Self.frame(number, format, color: color), presentationTime: Self.time(number),
                duration: MediaTime(value: 1, timescale: 30))
        }
        try await fixture.writer.finishWriting()
    }

    /// The timestamp of a frame from a slightly irregular camera; each frame keeps its own.
    static func time(_ number: Int) -> MediaTime {
        WriterFixture.time(seconds(number))
    }

    static func seconds(_ number: Int) -> Double { Double(number) / 30 + (number % 3 == 1 ? 0.004 : 0) }

    /// Ten-bit brightness in limited range: a moving slope with a pattern on it.
    static func luma(_ x: Int, _ y: Int, _ number: Int) -> Int {
        let slope = (x * 2 + y + number * 6) % 512
        return 200 + (slope < 256 ? slope : 511 - slope) * 2 + ((x / 16 + y / 16) % 2) * 40
    }

    static func chroma(_ x: Int, _ plane: Int) -> Int { plane == 1 ? 400 + x : 620 - x }

    static func frame(_ number: Int, _ format: PixelFormat, color: ColorDescription) -> PixelBuffer {
        let buffer = MutablePixelBuffer(
            layout: PixelLayout(format: format, width: width, height: height, alignment: 64), color: color)
        let isDeep = format.bitDepth > 8
        for (index, plane) in buffer.layout.planes.enumerated() {
            let bytes = buffer.plane(index)
            let isPaired = index > 0 && (format == .nv12 || format == .p010)
            for y in 0..<plane.rows {
                for x in 0..<(index == 0 ? width : width / 2) {
                    for part in 0..<(isPaired ? 2 : 1) {
                        let value = index == 0 ? luma(x, y, number) : chroma(x, isPaired ? part + 1 : index)
                        let place = isPaired ? x * 2 + part : x
                        let start = y * plane.bytesPerRow
                        if isDeep {
                            bytes.storeBytes(
                                of: UInt16(value) << (format == .p010 ? 6 : 0), toByteOffset: start + place * 2,
                                as: UInt16.self)
                        } else {
                            bytes[start + place] = UInt8(value >> 2)
                        }
                    }
                }
            }
        }
        return buffer.finish()
    }

    /// ffprobe's report on the stream.
    func facts() throws -> [String: String] {
        let result = try Probe.ask(
            path,
            "stream=codec_name,codec_tag_string,profile,level,pix_fmt,color_space,color_transfer,color_primaries,"
                + "color_range,nb_read_frames,has_b_frames,sample_aspect_ratio,bit_rate",
            of: "v:0", as: "default=noprint_wrappers=1", options: ["-count_frames"])
        guard result.status == 0, result.errors.isEmpty else { throw Command.Failure(description: result.errors) }
        var facts: [String: String] = [:]
        for line in result.text.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { facts[String(parts[0])] = String(parts[1]) }
        }
        return facts
    }

    struct Packet {
        var shown: Double
        var decoded: Double
        var isKeyframe: Bool
    }

    func packets() throws -> [Packet] {
        try Probe.ask(path, "packet=pts_time,dts_time,flags", of: "v:0").text.split(separator: "\n").compactMap {
            let parts = $0.split(separator: ",")
            guard parts.count >= 3, let shown = Double(parts[0]), let decoded = Double(parts[1]) else { return nil }
            return Packet(shown: shown, decoded: decoded, isKeyframe: parts[2].hasPrefix("K"))
        }
    }

    /// The peak signal-to-noise ratio of the luma of all frames, as ffmpeg decodes them, in decibels.
    func fidelity(count: Int = count) throws -> Double {
        let facts = try facts()
        let (stored, isJPEG) = (facts["pix_fmt"] ?? "", facts["codec_name"] == "mjpeg")
        let result = try Command.run(
            "ffmpeg", "-v", "error", "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-pix_fmt", stored, "-f",
            "rawvideo", "-")
        guard result.status == 0, result.errors.isEmpty else { throw Command.Failure(description: result.errors) }
        let isDeep = stored.hasSuffix("10le")
        let samples = Self.width * Self.height
        let frameBytes = (stored.contains("422") ? samples * 2 : samples * 3 / 2) * (isDeep ? 2 : 1)
        guard result.output.count == count * frameBytes else {
            throw Command.Failure(description: "\(result.output.count) bytes of frames")
        }
        // Compared with eight or ten bits, whichever is the smaller depth on the path.
        let shift = isDeep && format.bitDepth > 8 ? 0 : 2
        var squares = 0.0
        var judged = 0.0
        result.output.withUnsafeBytes { bytes in
            for number in stride(from: 0, to: count, by: 5) {
                for y in 0..<Self.height {
                    for x in 0..<Self.width {
                        let at = y * Self.width + x
                        let value =
                            isDeep
                            ? Int(bytes.loadUnaligned(fromByteOffset: number * frameBytes + at * 2, as: UInt16.self))
                                >> shift
                            : Int(bytes[number * frameBytes + at])
                        // JPEG has full range.
                        let limited = isJPEG ? 16 + Double(value) * 219 / 255 : Double(value)
                        let difference = limited - Double(Self.luma(x, y, number) >> shift)
                        squares += difference * difference
                    }
                }
                judged += Double(samples)
            }
        }
        let most = shift == 0 ? 1023.0 : 255.0
        return squares == 0 ? 99 : 10 * log10(most * most / (squares / judged))
    }
}

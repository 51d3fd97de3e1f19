import Foundation
import TestSupport
import Testing

/// A movie of high dynamic range as other programs make it: 10-bit HEVC by x265, whose display and light levels are
/// only in the stream.
enum HighRangeMovie: String, CaseIterable, Sendable {
    case hlg, pq

    var transfer: String { self == .hlg ? "arib-std-b67" : "smpte2084" }
    /// The name of the transfer function in mediainfo.
    var word: String { self == .hlg ? "HLG" : "PQ" }
    /// The code of ITU-T H.273.
    var code: UInt8 { self == .hlg ? 18 : 16 }

    /// 1000 cd/m², BT.2020 and D65; at most 987 in a pixel and 321 on average in a frame.
    static let light =
        "master-display=G(8500,39850)B(6550,2300)R(35400,14600)WP(15635,16450)L(10000000,50):max-cll=987,321:hdr10=1"

    /// - Parameters:
    ///   - frame: lavfi source of the frames.
    ///   - light: the display and light levels in the stream; nil for none.
    func make(
        _ name: String, in command: Command, frame: String = "testsrc2=s=320x180:r=25:d=0.6", light: String? = light
    ) throws {
        let parameters = [
            "log-level=none", "colorprim=bt2020", "transfer=\(transfer)", "colormatrix=bt2020nc", "chromaloc=2",
        ]
        try MadeFile.copy(
            of: [
                "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", frame, "-vf",
                ColorTags.filter(primaries: "bt2020", transfer: transfer, matrix: "bt2020nc"), "-pix_fmt",
                "yuv420p10le", "-c:v", "libx265", "-preset", "ultrafast", "-crf", "16", "-x265-params",
                (parameters + [light].compactMap { $0 }).joined(separator: ":"),
            ], to: URL(fileURLWithPath: command.path("work/\(name)")))
    }
}

/// The facts that two other programs report about a movie's frames.
struct FrameInfo {
    /// The stream in ffprobe.
    let stream: [String: String]
    /// Other facts of the container, in ffprobe's words, one per line.
    let container: String
    /// The first frame in ffprobe.
    let frame: String
    /// The stream in mediainfo.
    let mediainfo: [String: String]

    init(_ path: String) throws {
        let plain = "default=noprint_wrappers=1"
        let facts =
            "stream=codec_name,codec_tag_string,profile,pix_fmt,color_range,color_space,color_transfer,color_primaries,"
            + "chroma_location,nb_read_frames"
        let text = try Probe.ask(path, facts, of: "v:0", as: plain, options: ["-count_frames"]).text
        stream = Dictionary(
            text.split(separator: "\n").compactMap { line in
                let parts = line.split(separator: "=", maxSplits: 1)
                return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
            }, uniquingKeysWith: { first, _ in first })
        container = try Probe.ask(path, "stream_side_data", of: "v:0", as: plain).text
        frame = try Probe.ask(
            path, "frame_side_data", of: "v:0", as: plain, options: ["-read_intervals", "%+#1"]
        ).text
        let names = [
            "Format", "BitDepth", "ChromaSubsampling/String", "colour_primaries", "transfer_characteristics",
            "matrix_coefficients", "MasteringDisplay_Luminance", "MaxCLL", "MaxFALL",
        ]
        let form = "Video;" + names.map { "%\($0)%" }.joined(separator: "|")
        let words = try TestSupport.Command.run("mediainfo", "--Output=\(form)", path).text
            .trimmingCharacters(in: .newlines).components(separatedBy: "|")
        try #require(words.count == names.count, "\(words)")
        mediainfo = Dictionary(uniqueKeysWithValues: zip(names, words))
    }

    /// Returns true if ffprobe's lines contain the display and light of `HighRangeMovie.light`, within the precision of
    /// the codec's units.
    static func tellsTheLight(_ text: String) -> Bool {
        func value(_ key: String) -> Double? {
            guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(key + "=") }) else { return nil }
            let parts = line.dropFirst(key.count + 1).split(separator: "/").compactMap { Double($0) }
            return parts.count == 2 ? parts[0] / parts[1] : parts.first
        }
        let wanted = [
            "red_x": 0.708, "red_y": 0.292, "green_x": 0.17, "green_y": 0.797, "blue_x": 0.131, "blue_y": 0.046,
            "white_point_x": 0.3127, "white_point_y": 0.329, "min_luminance": 0.005, "max_luminance": 1000,
            "max_content": 987, "max_average": 321,
        ]
        return wanted.allSatisfy { key, wanted in value(key).map { abs($0 - wanted) < 0.0001 } ?? false }
    }
}

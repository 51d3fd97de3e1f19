import Foundation
import TestSupport
import Testing

/// A film of high dynamic range as other programs make it: HEVC of ten bits by x265, which tells of screen and light in its stream
/// alone.
enum HighRangeFilm: String, CaseIterable, Sendable {
    case hlg, pq

    var transfer: String { self == .hlg ? "arib-std-b67" : "smpte2084" }
    /// mediainfo's word.
    var word: String { self == .hlg ? "HLG" : "PQ" }
    /// The code of ITU-T H.273.
    var code: UInt8 { self == .hlg ? 18 : 16 }

    /// 1000 cd/m², of BT.2020 and D65; 987 at most in a pixel, 321 on average in a picture.
    static let light =
        "master-display=G(8500,39850)B(6550,2300)R(35400,14600)WP(15635,16450)L(10000000,50):max-cll=987,321:hdr10=1"

    /// - Parameters:
    ///   - picture: what it shows, for lavfi.
    ///   - light: what the stream says of screen and light; nil: nothing.
    func make(
        _ name: String, in command: Command, picture: String = "testsrc2=s=320x180:r=25:d=0.6", light: String? = light
    ) throws {
        let parameters = [
            "log-level=none", "colorprim=bt2020", "transfer=\(transfer)", "colormatrix=bt2020nc", "chromaloc=2",
        ]
        try MadeFile.copy(
            of: [
                "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", picture, "-pix_fmt", "yuv420p10le", "-c:v",
                "libx265",
                "-preset", "ultrafast", "-crf", "16", "-color_primaries", "bt2020", "-color_trc", transfer,
                "-colorspace", "bt2020nc", "-x265-params",
                (parameters + [light].compactMap { $0 }).joined(separator: ":"),
            ], to: URL(fileURLWithPath: command.path("work/\(name)")))
    }
}

/// What two other programs say of a film's pictures.
struct PictureFacts {
    /// ffprobe's, of the stream.
    let stream: [String: String]
    /// What the container says besides, in ffprobe's words, a line each.
    let container: String
    /// What the first picture says.
    let picture: String
    /// mediainfo's.
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
        picture = try Probe.ask(
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

    /// Whether lines of ffprobe's tell the screen and the light of `HighRangeFilm.light`. A codec that counts in finer or coarser
    /// steps is as near as those.
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

public import Foundation

/// What ffprobe says about a movie.
public struct Probe {
    public struct Stream: Decodable {
        public var index: Int
        public var codec_type: String
        public var codec_name: String?
        public var width: Int?
        public var height: Int?
        public var nb_frames: String?
        public var nb_read_frames: String?
        public var nb_read_packets: String?
        public var duration: String?
        public var start_time: String?
        public var time_base: String?
        public var sample_rate: String?
        public var channels: Int?
        public var tags: [String: String]?

        public var seconds: Double { duration.flatMap(Double.init) ?? -1 }
        public var start: Double { start_time.flatMap(Double.init) ?? -1 }
        public var frames: Int { (nb_read_frames ?? nb_frames).flatMap(Int.init) ?? -1 }
    }

    public struct Format: Decodable {
        public var duration: String?
        public var format_name: String
        public var tags: [String: String]?
        public var seconds: Double { duration.flatMap(Double.init) ?? -1 }
    }

    private struct Answer: Decodable {
        var streams: [Stream]?
        var format: Format?
    }

    public let streams: [Stream]
    public let format: Format
    /// What it complained about; empty for a good file.
    public let complaints: String

    public var video: Stream? { streams.first { $0.codec_type == "video" } }
    public var audio: Stream? { streams.first { $0.codec_type == "audio" } }

    /// - Parameter decodes: also decodes every frame, and counts them.
    /// - Throws: when ffprobe refuses the file.
    public init(_ path: String, decodes: Bool = false) throws {
        let result = try Command.run(
            ["ffprobe", "-v", "warning"] + (decodes ? ["-count_frames"] : [])
                + ["-show_streams", "-show_format", "-of", "json", path])
        guard result.status == 0 else { throw Command.Failure(description: "ffprobe \(path): \(result.errors)") }
        let answer = try JSONDecoder().decode(Answer.self, from: result.output)
        streams = answer.streams ?? []
        guard let format = answer.format else { throw Command.Failure(description: "ffprobe \(path): no format") }
        self.format = format
        complaints = result.errors
    }

    /// Presentation times of a stream's frames in seconds, in the order of decoding them.
    public static func frameTimes(_ path: String, stream: String = "v:0") throws -> [Double] {
        let result = try Command.run(
            "ffprobe", "-v", "error", "-select_streams", stream, "-show_entries", "frame=pts_time", "-of", "csv=p=0", path)
        return result.text.split(separator: "\n").compactMap {
            Double($0.trimmingCharacters(in: [",", " "]))
        }
    }

    /// A sound track decoded by ffmpeg, edit list applied, in a raw format such as `s16le`.
    public static func decodedSound(_ path: String, as format: String, codec: String? = nil) throws -> Data {
        let result = try Command.run(
            ["ffmpeg", "-v", "error", "-i", path, "-map", "0:a:0", "-f", format] + (codec.map { ["-c:a", $0] } ?? []) + ["-"])
        guard result.status == 0, result.errors.isEmpty else {
            throw Command.Failure(description: "ffmpeg \(path): \(result.errors)")
        }
        return result.output
    }

    /// Every picture of a movie, shrunk to one grey pixel.
    public static func brightness(_ path: String, seeking seconds: Double? = nil, count: Int? = nil) throws -> [UInt8] {
        var arguments = ["ffmpeg", "-v", "error"]
        if let seconds { arguments += ["-ss", String(seconds)] }
        arguments += ["-i", path, "-map", "0:v:0", "-vsync", "passthrough"]
        if let count { arguments += ["-frames:v", String(count)] }
        let result = try Command.run(arguments + ["-vf", "format=gray,scale=1:1:flags=area", "-f", "rawvideo", "-"])
        guard result.status == 0, result.errors.isEmpty else {
            throw Command.Failure(description: "ffmpeg \(path): \(result.errors)")
        }
        return Array(result.output)
    }
}

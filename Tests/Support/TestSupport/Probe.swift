public import Foundation

/// The facts that ffprobe reports about a movie.
public struct Probe {
    public struct Stream: Decodable {
        public var index: Int
        public var codecType: String
        public var codecName: String?
        public var width: Int?
        public var height: Int?
        public var nbFrames: String?
        public var nbReadFrames: String?
        public var duration: String?
        public var startTime: String?
        public var timeBase: String?
        public var sampleRate: String?
        public var channels: Int?
        public var tags: [String: String]?

        public var seconds: Double { duration.flatMap(Double.init) ?? -1 }
        public var start: Double { startTime.flatMap(Double.init) ?? -1 }
        public var frames: Int { (nbReadFrames ?? nbFrames).flatMap(Int.init) ?? -1 }
    }

    public struct Format: Decodable {
        public var duration: String?
        public var formatName: String
        public var tags: [String: String]?
        public var seconds: Double { duration.flatMap(Double.init) ?? -1 }
    }

    private struct Answer: Decodable {
        var streams: [Stream]?
        var format: Format?
    }

    public let streams: [Stream]
    public let format: Format
    /// The errors of ffprobe; empty for an intact file.
    public let complaints: String

    public var video: Stream? { streams.first { $0.codecType == "video" } }
    public var audio: Stream? { streams.first { $0.codecType == "audio" } }

    /// - Parameter decodes: true to decode and count every frame as well.
    /// - Throws: an error if ffprobe refuses the file.
    public init(_ path: String, decodes: Bool = false) throws {
        let result = try Self.ask(
            path, as: "json", level: "warning",
            options: (decodes ? ["-count_frames"] : []) + ["-show_streams", "-show_format"])
        guard result.status == 0 else { throw Command.Failure(description: "ffprobe \(path): \(result.errors)") }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let answer = try decoder.decode(Answer.self, from: result.output)
        streams = answer.streams ?? []
        guard var format = answer.format else { throw Command.Failure(description: "ffprobe \(path): no format") }
        // ffprobe 5.1 reports the duration in the header; 7.1 calculates one from the media, whatever the edits show.
        if format.formatName.hasPrefix("mov"), let duration = AtomPlaces.duration(of: path) {
            format.duration = String(duration)
        }
        self.format = format
        // FFmpeg has no decoder for timecode, and reports that for every file with such a track, its own included.
        complaints = result.errors.split(separator: "\n").filter { !$0.hasPrefix("Unsupported codec with id 0 ") }
            .joined(separator: "\n")
    }

    /// Runs ffprobe and returns its result. All uses of ffprobe call this.
    ///
    /// - Parameters:
    ///   - entries: what it shows, such as "packet=pos,size".
    ///   - stream: a single stream, such as "v:0".
    ///   - format: its output format.
    ///   - level: level of the messages in `errors`.
    ///   - options: other options.
    public static func ask(
        _ path: String, _ entries: String? = nil, of stream: String? = nil, as format: String = "csv=p=0",
        level: String = "error", options: [String] = []
    ) throws -> Command {
        try Command.run(question(path, entries, of: stream, as: format, level: level, options: options))
    }

    /// Returns the arguments for ffprobe.
    static func question(
        _ path: String, _ entries: String?, of stream: String? = nil, as format: String, level: String = "error",
        options: [String] = []
    ) -> [String] {
        ["ffprobe", "-v", level] + options + (stream.map { ["-select_streams", $0] } ?? [])
            + (entries.map { ["-show_entries", $0] } ?? []) + ["-of", format, path]
    }

    /// Returns presentation times of a stream's frames in seconds, in decoding order.
    public static func frameTimes(_ path: String, stream: String = "v:0") throws -> [Double] {
        let result = try ask(path, "frame=pts_time", of: stream)
        return result.text.split(separator: "\n").compactMap {
            Double($0.trimmingCharacters(in: [",", " "]))
        }
    }

    /// Returns an audio track decoded by ffmpeg, with its edit list applied, in a raw format such as `s16le`.
    public static func decodedAudio(_ path: String, as format: String, codec: String? = nil) throws -> Data {
        let result = try Command.run(
            ["ffmpeg", "-v", "error", "-i", path, "-map", "0:a:0", "-f", format] + (codec.map { ["-c:a", $0] } ?? [])
                + ["-"])
        guard result.status == 0, result.errors.isEmpty else {
            throw Command.Failure(description: "ffmpeg \(path): \(result.errors)")
        }
        return result.output
    }

    /// Returns the stored luma in the middle of every frame of a movie.
    public static func brightness(_ path: String, seeking seconds: Double? = nil, count: Int? = nil) throws -> [UInt8] {
        var arguments = ["ffmpeg", "-v", "error"]
        if let seconds { arguments += ["-ss", String(seconds)] }
        // In the average frame's time, two frames at uneven times could get the same time, which FFmpeg reports.
        arguments += ["-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-enc_time_base", "1:1000000"]
        if let count { arguments += ["-frames:v", String(count)] }
        let result = try Command.run(arguments + ["-vf", "crop=2:2", "-pix_fmt", "yuv420p", "-f", "rawvideo", "-"])
        guard result.status == 0, result.errors.isEmpty else {
            throw Command.Failure(description: "ffmpeg \(path): \(result.errors)")
        }
        // Four pixels of luma, one of each chroma.
        return stride(from: 0, to: result.output.count, by: 6).map { result.output[$0] }
    }
}

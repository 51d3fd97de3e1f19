import Foundation
import TestSupport

/// What ffprobe says of a film and of its copy, by what the two must have in common.
struct CopyJudgement {
    struct Stream: Decodable {
        struct SideData: Decodable { var rotation: Int? }

        var index: Int
        var codecType: String
        var codecName: String?
        var sampleRate: String?
        var channels: Int?
        var sampleAspectRatio: String?
        var duration: String?
        var tags: [String: String]?
        var sideDataList: [SideData]?

        var language: String? { tags?["language"] }
        /// Degrees clockwise: ffprobe's count the other way.
        var rotation: Int { ((-(sideDataList?.compactMap(\.rotation).first ?? 0)) % 360 + 360) % 360 }
        /// Of a pixel; "0:1" and none mean square ones.
        var pixelAspect: String {
            guard let sampleAspectRatio, sampleAspectRatio != "0:1" else { return "1:1" }
            return sampleAspectRatio
        }
        var rate: Double { sampleRate.flatMap(Double.init) ?? 1 }
    }

    /// A stored packet or what it is decoded to.
    private struct Entry: Decodable {
        var type: String
        var streamIndex: Int
        var ptsTime: String?
        var durationTime: String?
        var bestEffortTimestampTime: String?
        var nbSamples: Int?
    }

    private struct Answer: Decodable {
        var packetsAndFrames: [Entry]?
        var streams: [Stream]
    }

    let video: [Stream]
    let audio: [Stream]
    /// What it complained about; empty for a good file.
    let complaints: String
    private let frames: [Entry]
    private let packets: [Entry]

    init(_ path: String) throws {
        let result = try Probe.ask(
            path,
            "packet=stream_index,pts_time,duration_time:frame=stream_index,best_effort_timestamp_time,nb_samples"
                + ":stream=index,codec_type,codec_name,sample_rate,channels,sample_aspect_ratio,duration"
                + ":stream_tags=language:stream_side_data=rotation", as: "json", level: "warning")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let answer = try decoder.decode(Answer.self, from: result.output)
        let streams = answer.streams.sorted { $0.index < $1.index }
        video = streams.filter { $0.codecType == "video" }
        audio = streams.filter { $0.codecType == "audio" }
        let entries = answer.packetsAndFrames ?? []
        frames = entries.filter { $0.type == "frame" }
        packets = entries.filter { $0.type == "packet" }
        // It has no decoder for timecode and chapters, and says so of its own files too.
        complaints = result.errors.split(separator: "\n").filter { !$0.hasPrefix("Unsupported codec with id") }
            .joined(separator: "\n")
    }

    /// When a stream's decoded frames are shown or heard, in seconds.
    func times(_ stream: Stream) -> [Double] {
        frames.filter { $0.streamIndex == stream.index }.compactMap { $0.bestEffortTimestampTime.flatMap(Double.init) }
    }

    /// The same from the first on.
    func relativeTimes(_ stream: Stream) -> [Double] {
        let times = times(stream).sorted()
        return times.map { $0 - times[0] }
    }

    /// Seconds of sound, as they are decoded, as they stand in time, and as the header says: FFmpeg 5.1 leaves the padding of
    /// the last packet of a `.mov` where it is, and ends a fragmented one before its last packet does.
    func lengths(_ stream: Stream) -> [Double] {
        let heard = frames.filter { $0.streamIndex == stream.index }
        let count = heard.reduce(0) { $0 + ($1.nbSamples ?? 0) }
        let ends = heard.compactMap { frame in
            frame.bestEffortTimestampTime.flatMap(Double.init).map { $0 + Double(frame.nbSamples ?? 0) / stream.rate }
        }
        let extent = ends.max().flatMap { end in soundStart(stream).map { end - $0 } }
        return [Double(count) / stream.rate] + [extent, stream.duration.flatMap(Double.init)].compactMap { $0 }
    }

    /// Where the first sound is, by its decoded frames.
    func soundStart(_ stream: Stream) -> Double? { times(stream).min() }

    // MARK: Copies: sound in AAC by FFmpeg's encoder, which puts 1024 samples of its own before the first

    private static let priming = 1024.0

    /// Where the first sound is that somebody recorded.
    func encodedSoundStart(_ stream: Stream) -> Double? {
        let first = packets.filter { $0.streamIndex == stream.index }.compactMap { $0.ptsTime.flatMap(Double.init) }
            .min()
        return first.map { $0 + Self.priming / stream.rate }
    }

    /// Seconds that somebody recorded.
    func encodedLength(_ stream: Stream) -> Double {
        let durations = packets.filter { $0.streamIndex == stream.index }.compactMap {
            $0.durationTime.flatMap(Double.init)
        }
        return durations.reduce(0, +) - Self.priming / stream.rate
    }
}

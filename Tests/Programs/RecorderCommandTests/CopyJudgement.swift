import Foundation
import TestSupport

/// The output of ffprobe for a movie and its copy, reduced to what both must share.
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
        /// Degrees clockwise; ffprobe counts counterclockwise.
        var rotation: Int { ((-(sideDataList?.compactMap(\.rotation).first ?? 0)) % 360 + 360) % 360 }
        /// The aspect ratio of a pixel; "0:1" and a missing value mean square pixels.
        var pixelAspect: String {
            guard let sampleAspectRatio, sampleAspectRatio != "0:1" else { return "1:1" }
            return sampleAspectRatio
        }
        var rate: Double { sampleRate.flatMap(Double.init) ?? 1 }
    }

    /// A stored packet, or the frame that it is decoded to.
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
    /// The errors of ffprobe; empty for an intact file.
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
        // ffprobe has no decoder for timecode and chapters, and reports that for its own files too.
        complaints = result.errors.split(separator: "\n").filter { !$0.hasPrefix("Unsupported codec with id") }
            .joined(separator: "\n")
    }

    /// Returns the presentation times of a stream's decoded frames, in seconds.
    func times(_ stream: Stream) -> [Double] {
        frames.filter { $0.streamIndex == stream.index }.compactMap { $0.bestEffortTimestampTime.flatMap(Double.init) }
    }

    /// Returns the times relative to the first one.
    func relativeTimes(_ stream: Stream) -> [Double] {
        let times = times(stream).sorted()
        return times.map { $0 - times[0] }
    }

    /// Returns the seconds of audio by decoded samples, by timestamps and by the header. FFmpeg 5.1 keeps the padding
    /// of the last packet of a `.mov`, and ends a fragmented file before its last packet ends.
    func lengths(_ stream: Stream) -> [Double] {
        let heard = frames.filter { $0.streamIndex == stream.index }
        let count = heard.reduce(0) { $0 + ($1.nbSamples ?? 0) }
        let ends = heard.compactMap { frame in
            frame.bestEffortTimestampTime.flatMap(Double.init).map { $0 + Double(frame.nbSamples ?? 0) / stream.rate }
        }
        let extent = ends.max().flatMap { end in audioStart(stream).map { end - $0 } }
        return [Double(count) / stream.rate] + [extent, stream.duration.flatMap(Double.init)].compactMap { $0 }
    }

    /// Returns the time of the first audio that is heard. Audio before time 0 is priming: FFmpeg 7 stores it in Matroska
    /// with negative times (RFC 9559, CodecDelay), and ffprobe decodes it.
    func audioStart(_ stream: Stream) -> Double? { times(stream).min().map { max(0, $0) } }

    // MARK: Copies with AAC by FFmpeg's encoder, which adds 1024 audio frames before the first

    private static let priming = 1024.0

    /// Returns the time of the first recorded audio.
    func encodedAudioStart(_ stream: Stream) -> Double? {
        let first = packets.filter { $0.streamIndex == stream.index }.compactMap { $0.ptsTime.flatMap(Double.init) }
            .min()
        return first.map { $0 + Self.priming / stream.rate }
    }

    /// Returns the seconds of recorded audio.
    func encodedLength(_ stream: Stream) -> Double {
        let durations = packets.filter { $0.streamIndex == stream.index }.compactMap {
            $0.durationTime.flatMap(Double.init)
        }
        return durations.reduce(0, +) - Self.priming / stream.rate
    }
}

public import Foundation

/// The facts that ffprobe finds in a file when it decodes all of it.
public struct InputJudgement: Sendable {
    public struct Stream: Sendable {
        public var type: String
        /// Presentation times of decoded frames, in seconds from the movie's start; empty for audio.
        public var times: [Double] = []
        /// Decoded audio frames, without priming.
        public var audioFrames = 0
    }

    public let streams: [Stream]
    /// The duration in seconds.
    public let duration: Double

    public var video: [Stream] { streams.filter { $0.type == "video" } }
    public var audio: [Stream] { streams.filter { $0.type == "audio" } }

    private struct Answer: Decodable {
        struct Frame: Decodable {
            var streamIndex: Int
            var bestEffortTimestampTime: String?
            var nbSamples: Int?
        }
        struct Stream: Decodable {
            var index: Int
            var codecType: String
        }
        struct Format: Decodable {
            var startTime: String?
            var duration: String?
            var formatName: String
        }
        var frames: [Frame]?
        var streams: [Stream]
        var format: Format
    }

    /// - Parameter url: location of a file that does not change while the tests run.
    public init(_ url: URL) throws {
        let output = try MadeFile.output(
            Probe.question(
                url.path,
                "frame=stream_index,best_effort_timestamp_time,nb_samples:stream=index,codec_type"
                    + ":format=start_time,duration,format_name", as: "json"))
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let answer = try decoder.decode(Answer.self, from: output)
        // Broadcast streams begin at any time, MP3 before its priming: here the movie begins at 0.
        let counted = ["mpegts", "mpeg", "mp3", "aac"].contains(answer.format.formatName)
        let origin = counted ? answer.format.startTime.flatMap(Double.init) ?? 0 : 0
        var streams = answer.streams.sorted { $0.index < $1.index }.map { Stream(type: $0.codecType) }
        for frame in answer.frames ?? [] where streams.indices.contains(frame.streamIndex) {
            streams[frame.streamIndex].audioFrames += frame.nbSamples ?? 0
            if streams[frame.streamIndex].type == "video",
                let time = frame.bestEffortTimestampTime.flatMap(Double.init)
            {
                streams[frame.streamIndex].times.append(time - origin)
            }
        }
        self.streams = streams
        // FFmpeg 7 adds up decode durations: a movie with reordered frames may seem to end before its last frame.
        let latest = streams.compactMap { $0.times.max() }.max() ?? 0
        duration = max(answer.format.duration.flatMap(Double.init) ?? 0, latest)
    }
}

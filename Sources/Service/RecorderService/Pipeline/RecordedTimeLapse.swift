import Foundation
import MediaTypes
import RecorderStorage

/// The time-lapse of one file, as its metadata stores it: the interval, and when each frame was captured.
struct RecordedTimeLapse: Codable, Hashable {
    /// Seconds from one frame to the next, as configured.
    var every: Double
    /// Frames per second of the movie.
    var playRate: Double
    /// The frames that `times` contains: 1 for all, 2 for every second one, and so on. nil while the file grows.
    var step: Int64?
    /// The capture times of the frames, in seconds after that of the first frame; nil while the file grows.
    var times: [Double]?

    init(_ lapse: TimeLapse) {
        every = lapse.interval.seconds
        playRate = lapse.playRate.framesPerSecond
    }

    /// Creates the facts of a file that has ended.
    ///
    /// - Parameters:
    ///   - start: The file's start in the timeline of the movies.
    ///   - end: The file's end in the same timeline.
    init(_ line: TimeLapseLine, from start: MediaTime, to end: MediaTime) {
        self.init(line.lapse)
        let own = line.frames.filter { $0.played >= start && $0.played < end }
        step = line.stride
        times = own.map { frame in
            let seconds = (frame.captured - (own.first?.captured ?? .zero)).seconds
            return (seconds * 1000).rounded() / 1000
        }
    }

    var metadataItem: MetadataItem {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let json = (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
        return MetadataItem(key: MetadataItem.timeLapseKey, value: json ?? "{}")
    }
}

/// A time range of a track that a recording lost to damage.
public struct MissingRange: Sendable, Hashable, Codable {
    /// The track's id.
    public var track: Int
    /// Seconds from the movie's beginning.
    public var start: Double
    public var end: Double

    public init(track: Int, start: Double, end: Double) {
        self.track = track
        self.start = start
        self.end = end
    }
}

extension MissingRange {
    /// The ranges as JSON, with millisecond precision.
    package static func text(_ ranges: [MissingRange]) -> String {
        func number(_ seconds: Double) -> String {
            let milliseconds = Int64(exactly: (max(0, seconds) * 1000).rounded()) ?? .max
            let rest = String(milliseconds % 1000)
            return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
        }
        let items = ranges.map {
            "{\"track\":\($0.track),\"start\":\(number($0.start)),\"end\":\(number($0.end))}"
        }
        return "[" + items.joined(separator: ",") + "]"
    }
}

package import CommandInterface

/// The number of encoders for one movie, each with a chunk of its own.
package enum ChunkCount: Sendable, Hashable {
    case count(Int)
    /// A number that suits the machine: one encoder uses about eight CPUs.
    case automatic

    /// Parses "4" or "auto".
    package init(parsing text: String) throws(OptionError) {
        if text == "auto" {
            self = .automatic
        } else if let count = Int(text), (1...64).contains(count) {
            self = .count(count)
        } else {
            throw OptionError(text, isNot: "a number of chunks", write: "1 to 64, or auto")
        }
    }

    /// Returns the number of encoders.
    ///
    /// - Parameters:
    ///   - duration: The movie's duration in seconds.
    ///   - availableMemory: The available memory in bytes.
    func number(duration: Double, processors: Int, availableMemory: Int64) -> Int {
        switch self {
        case .count(let count): return count
        case .automatic:
            // A second encoder pays off if there are twice as many CPUs as one keeps busy.
            let byProcessors = processors / Self.processorsOfOne
            let byMemory = SystemMemory.encoders(in: availableMemory)
            let byLength = duration.isFinite ? Int(min(64, max(0, duration) / Self.shortest)) : 1
            return max(1, min(byProcessors, byMemory, byLength))
        }
    }

    private static let processorsOfOne = 8
    /// The minimum length of a chunk, in seconds of the movie. Chunks should not be short, because each begins with a
    /// keyframe and an encoder without history.
    private static let shortest = 60.0
}

package import CommandInterface

/// How many encoders work at one film, each at a stretch of its own.
package enum StretchCount: Sendable, Hashable {
    case count(Int)
    /// As many as the machine is for: an encoder alone uses some eight processors.
    case automatic

    /// "4" or "auto"
    package init(parsing text: String) throws(OptionError) {
        if text == "auto" {
            self = .automatic
        } else if let count = Int(text), (1...64).contains(count) {
            self = .count(count)
        } else {
            throw OptionError(text, isNot: "a number of stretches", write: "1 to 64, or auto")
        }
    }

    /// - Parameters:
    ///   - duration: seconds of film.
    ///   - availableMemory: bytes.
    func number(duration: Double, processors: Int, availableMemory: Int64) -> Int {
        switch self {
        case .count(let count): return count
        case .automatic:
            // One more begins to pay where there are twice as many processors as one keeps busy.
            let byProcessors = processors / Self.processorsOfOne
            let byMemory = SystemMemory.encoders(in: availableMemory)
            let byLength = duration.isFinite ? Int(min(64, max(0, duration) / Self.shortest)) : 1
            return max(1, min(byProcessors, byMemory, byLength))
        }
    }

    private static let processorsOfOne = 8
    /// Seconds of film: each stretch begins with a key frame and an encoder that knows nothing yet.
    private static let shortest = 60.0
}

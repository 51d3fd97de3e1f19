import CommandInterface

/// The result of a re-encoding: the object that `recorder reencode --json` prints.
package struct ReencodeSummary: Sendable, Hashable, Codable {
    /// The path of the copy.
    package var file: String
    package var inputs: [String]
    /// The movie's duration in seconds.
    package var duration: Double
    package var bytes: Int64
    package var inputBytes: Int64
    /// The elapsed time in seconds.
    package var seconds: Double
    /// Descriptions of what the copy lacks, one line each.
    package var leftOut: [String]
    /// Damaged time ranges of the inputs that the copy lacks, or whose timestamps were corrected.
    package var damage: [Damage] = []

    package struct Damage: Sendable, Hashable, Codable {
        /// The track's number in the file.
        package var track: Int
        /// The beginning of the damage, in seconds of the joined movie.
        package var start: Double
        /// The end of the damage, in seconds of the joined movie; nil if unknown.
        package var end: Double?
        package var reason: String
        /// True if nothing is missing: only the timestamps were wrong, and were corrected.
        package var isMended = false

        /// A line such as "2.50 s to 3.00 s of track 1 were damaged and left out: …".
        package var text: String {
            let place = NumberText.duration(start) + (end.map { " to \(NumberText.duration($0))" } ?? " and more")
            return isMended
                ? "\(place) of track \(track) had wrong times, now corrected: \(reason)"
                : "\(place) of track \(track) were damaged and left out: \(reason)"
        }
    }

    /// A line such as "12.1 MB (was 30.2 MB) · 40.00 s · 8.2× real time".
    package var text: String {
        var facts = [NumberText.bytes(bytes)]
        if inputBytes > 0 {
            let record = bytes < inputBytes ? "" : bytes == inputBytes ? ": as large as" : ": larger than"
            facts[0] += " (was \(NumberText.bytes(inputBytes)))" + (record.isEmpty ? "" : record + " the source")
        }
        facts.append(NumberText.duration(duration))
        if seconds > 0, duration > 0 {
            facts.append("\(NumberText.fixed(duration / seconds, places: 1))× real time")
        }
        return facts.joined(separator: " · ")
    }
}

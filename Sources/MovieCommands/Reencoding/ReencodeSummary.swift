import CommandInterface

/// What a re-encoding came to: the object that `recorder reencode --json` prints.
package struct ReencodeSummary: Sendable, Hashable, Codable {
    /// Path of the copy.
    package var file: String
    package var inputs: [String]
    /// Seconds of film.
    package var duration: Double
    package var bytes: Int64
    package var inputBytes: Int64
    /// How long it took.
    package var seconds: Double
    /// What the copy lacks, one line each.
    package var leftOut: [String]
    /// Stretches of the inputs that were damaged and are not in the copy, or whose times were mended.
    package var damage: [Damage] = []

    package struct Damage: Sendable, Hashable, Codable {
        /// Its number in the file.
        package var track: Int
        /// Seconds of the joined film.
        package var start: Double
        /// nil where nobody knows how much is missing.
        package var end: Double?
        package var reason: String
        /// Nothing is missing: only the times were wrong, and were put in order.
        package var isMended = false

        /// "2.50 s to 3.00 s of track 1 were damaged and left out: …"
        package var text: String {
            let place = NumberText.duration(start) + (end.map { " to \(NumberText.duration($0))" } ?? " and more")
            return isMended
                ? "\(place) of track \(track) were put in order: \(reason)"
                : "\(place) of track \(track) were damaged and left out: \(reason)"
        }
    }

    /// "12.1 MB instead of 30.2 MB · 40.00 s · 8.2× as fast as played"
    package var text: String {
        var facts = [NumberText.bytes(bytes)]
        if inputBytes > 0 {
            facts[0] += " instead of \(NumberText.bytes(inputBytes))" + (bytes < inputBytes ? "" : ": not smaller")
        }
        facts.append(NumberText.duration(duration))
        if seconds > 0, duration > 0 {
            facts.append("\(NumberText.fixed(duration / seconds, places: 1))× as fast as played")
        }
        return facts.joined(separator: " · ")
    }
}

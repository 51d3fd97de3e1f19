/// Finds the word that somebody meant.
enum Spelling {
    /// The one that differs by two letters at most, or nil.
    static func nearest(to word: String, in known: [String]) -> String? {
        let letters = Array(word.lowercased().replacing("_", with: "-").utf8.prefix(64))
        let distances = known.map { (word: $0, distance: distance(letters, Array($0.utf8))) }
        return distances.filter { $0.distance <= 2 && $0.distance < $0.word.utf8.count - 1 }
            .min { $0.distance < $1.distance }?.word
    }

    /// Levenshtein's: insertions, deletions and replacements.
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var row = Array(0...b.count)
        for (i, letter) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for j in b.indices {
                let replaced = diagonal + (letter == b[j] ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(replaced, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[b.count]
    }
}

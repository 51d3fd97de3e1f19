/// Finds the intended word for a misspelt one.
package enum Spelling {
    /// Returns the most similar known word; nil if none is similar enough. Allows one edit per three letters, at most
    /// two.
    package static func nearest(to word: String, in known: [String]) -> String? {
        let letters = folded(word)
        let distances = known.filter { $0 != word }.map { (word: $0, distance: distance(letters, folded($0))) }
        return distances.filter { $0.distance <= min(2, $0.word.utf8.count / 3) }
            .min { ($0.distance, $0.word) < ($1.distance, $1.word) }?.word
    }

    private static func folded(_ word: String) -> [UInt8] {
        Array(word.lowercased().replacing("_", with: "-").utf8.prefix(64))
    }

    /// Returns the number of insertions, deletions, substitutions and transpositions (optimal string alignment).
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var older = Array(0...b.count)
        var old = older
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var least = min(old[j] + (a[i] == b[j] ? 0 : 1), old[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, older[j - 1] + 1) }
                row.append(least)
            }
            (older, old) = (old, row)
        }
        return old[b.count]
    }
}

/// Names of camera controls, as v4l2-ctl(1) writes them.
enum ControlNames {
    /// Returns the name in lower case, with one underscore for each run of characters that are neither letters nor
    /// digits: "Exposure, Auto" is `exposure_auto`.
    static func normalised(_ title: String) -> String {
        var name = ""
        var isPending = false
        for byte in title.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                if isPending, !name.isEmpty { name.append("_") }
                isPending = false
                name.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                if isPending, !name.isEmpty { name.append("_") }
                isPending = false
                name.unicodeScalars.append(Unicode.Scalar(byte + 32))
            default: isPending = true
            }
        }
        return name
    }

    /// Returns up to three names similar to `name`, the most similar first; names with nothing in common are omitted.
    static func nearest(to name: String, among names: [String]) -> [String] {
        let words = Set(name.split(separator: "_"))
        let scored = names.map { candidate -> (name: String, score: Int) in
            let shared = Set(candidate.split(separator: "_")).intersection(words).count
            return (candidate, distance(name, candidate) - 4 * shared)
        }
        return scored.filter { $0.score <= max(2, name.count / 2) }
            .sorted { ($0.score, $0.name) < ($1.score, $1.name) }
            .prefix(3).map(\.name)
    }

    /// Returns the Levenshtein distance: the letters to insert, delete or replace to turn `a` into `b`.
    private static func distance(_ a: String, _ b: String) -> Int {
        let (a, b) = (Array(a.utf8), Array(b.utf8))
        var row = Array(0...b.count)
        for (i, x) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, y) in b.enumerated() {
                let above = row[j + 1]
                row[j + 1] = min(above + 1, row[j] + 1, diagonal + (x == y ? 0 : 1))
                diagonal = above
            }
        }
        return row[b.count]
    }
}

extension Retention {
    /// Describes recordings of this recorder below other directories; nil if there are none.
    package var elsewhere: String? {
        guard let directory, let places = try? catalogue.places() else { return nil }
        let others = places.filter { $0.directory != directory && $0.files > 0 }
        guard !others.isEmpty else { return nil }
        let names = Set(others.map(\.directory)).sorted()
        let count = others.reduce(0) { $0 + $1.files }
        let more = names.count > 3 ? " and \(names.count - 3) more directories" : ""
        return "looking only below \(directory); \(count) of this recorder's recordings, in "
            + names.prefix(3).joined(separator: ", ") + more + ", are ignored; use --output to choose"
    }
}

import MediaTypes

/// Recognizes an ordinary movie: it has media data, and a header with tables instead of fragments.
enum FinishedMovie {
    /// The maximum number of atoms, more than any ordinary movie has.
    private static let mostAtoms = 1 << 20

    /// Returns true if the file has both, in any order. Other atoms may be between them, because an edited movie keeps
    /// its former headers as free space (`HeaderEditor`). Any bytes may follow, such as zeros or the data of a phone,
    /// but not an atom that is cut off.
    static func isWhole(_ atoms: inout TopLevelAtoms) throws(MediaError) -> Bool {
        var (position, hasHeader, hasMedia) = (UInt64(0), false, false)
        for _ in 0..<mostAtoms {
            guard let atom = try atoms.header(at: position) else {
                switch try atoms.tail(at: position) {
                case .cutOff: return false
                case .media: hasMedia = true
                case .nothing, .other: break
                }
                return hasHeader && hasMedia
            }
            switch atom.type {
            case "moof": return false
            case "mdat": hasMedia = true
            case "moov":
                // A header that is too large to be read here is not the header of fragments.
                let moov = try atoms.contents(of: atom).flatMap { Atom(parsing: $0) }
                if !hasHeader, moov?["mvex"] != nil { return false }
                hasHeader = true
            default: break
            }
            position = atom.end
        }
        return false
    }
}

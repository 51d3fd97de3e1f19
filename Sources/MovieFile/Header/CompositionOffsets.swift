import MediaTypes

/// Which tracks of a QuickTime file say when their samples are shown, where that is not when they are decoded (QTFF, "Composition
/// Offset Atom"). Of a header of any size it reads a few kilobytes.
package enum CompositionOffsets {
    /// The ids of tracks without a table of offsets; empty for what cannot be read.
    package static func missing(in path: String) -> Set<Int> {
        guard let file = try? DiskFile(path: path, mode: .read), var atoms = try? TopLevelAtoms(file),
            let movie = atoms.first("moov", from: 0, to: atoms.fileSize)
        else { return [] }
        var found: Set<Int> = []
        for track in atoms.children(of: movie) where track.type == "trak" {
            guard let id = atoms.trackID(track), let table = atoms.find(["mdia", "minf", "stbl"], in: track) else {
                continue
            }
            if atoms.find(["ctts"], in: table) == nil { found.insert(id) }
        }
        return found
    }
}

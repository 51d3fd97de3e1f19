import MediaTypes

/// Finds the tracks of a QuickTime file that have no composition offsets. Offsets are needed if presentation times
/// differ from decode times (QTFF, "Composition Offset Atom"). Reads only a few kilobytes, however large the header is.
package enum CompositionOffsets {
    /// Returns the IDs of the tracks without a table of offsets; empty if the file cannot be read.
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

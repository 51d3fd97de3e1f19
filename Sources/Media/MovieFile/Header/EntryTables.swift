package import MediaTypes

/// The sample description tables of a QuickTime or MPEG-4 file, with each entry as it is stored.
///
/// Walks the atoms on disk, and reads only a few kilobytes, however large the header is.
package enum EntryTables {
    /// The maximum size of a table, far more than this library or a camera writes.
    private static let largestTable: UInt64 = 1 << 20
    private static let mostEntries: UInt32 = 1024

    /// Returns the tables by track ID; empty if the file cannot be read.
    package static func read(_ path: String) -> [Int: [StoredEntry]] {
        guard let file = try? DiskFile(path: path, mode: .read), var atoms = try? TopLevelAtoms(file),
            let movie = atoms.first("moov", from: 0, to: atoms.fileSize)
        else { return [:] }
        let isQuickTime = isQuickTime(&atoms)
        var found: [Int: [StoredEntry]] = [:]
        for track in atoms.children(of: movie) where track.type == "trak" {
            guard let id = atoms.trackID(track), let table = atoms.find(["mdia", "minf", "stbl", "stsd"], in: track),
                table.size <= largestTable,
                let bytes = try? atoms.bytes(at: table.offset, count: Int(table.size))
            else { continue }
            found[id] = entries(bytes.dropFirst(Int(table.headerSize)), isQuickTime: isQuickTime)
        }
        return found
    }

    /// Returns true for a QuickTime file. A file without a file type is a QuickTime file, because such files are older
    /// than the MPEG-4 family (QTFF, "The File Type Compatibility Atom").
    private static func isQuickTime(_ atoms: inout TopLevelAtoms) -> Bool {
        guard let type = try? atoms.header(at: 0), type.type == "ftyp" else { return true }
        var reader = ByteReader((try? atoms.bytes(at: type.offset + type.headerSize, count: 4)) ?? [])
        return reader.code() == "qt  "
    }

    /// Returns the entries of a sample description table.
    ///
    /// - Parameter table: the payload of `stsd`.
    private static func entries(_ table: ArraySlice<UInt8>, isQuickTime: Bool) -> [StoredEntry] {
        var reader = ByteReader(table)
        guard reader.skip(4), let count = reader.u32(), count <= mostEntries else { return [] }
        var entries: [StoredEntry] = []
        for _ in 0..<count {
            guard let size = reader.u32(), let code = reader.code(), size >= 16, let body = reader.slice(Int(size) - 8)
            else { break }
            entries.append(StoredEntry(code: code, body: Array(body), isQuickTime: isQuickTime))
        }
        return entries
    }
}

import MediaTypes

/// Maps positions in the file to entries of a track's sample description table (ISO/IEC 14496-12, 8.7.4 and 8.8.7).
/// Used for tracks with several entries.
package struct EntryPlaces: Sendable {
    /// The file offset of each chunk whose sample description differs from that of the previous chunk, in the file's
    /// order.
    private var starts: [UInt64] = []
    /// The entries of these chunks, from 0.
    private var entries: [Int] = []
    /// The maximum size of a table that is read: 16 million chunks.
    private static let largestTable: UInt64 = 128 << 20

    /// Returns the entry, from 0, of the sample that begins at a position of the file.
    package func entry(at place: Int64) -> Int {
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= UInt64(clamping: place) { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? entries.first ?? 0 : entries[low - 1]
    }

    private init(_ chunks: [(offset: UInt64, entry: Int)]) {
        for chunk in chunks.sorted(by: { $0.offset < $1.offset }) where chunk.entry != entries.last {
            starts.append(chunk.offset)
            entries.append(chunk.entry)
        }
    }

    /// Reads the tables of a header. If the samples are in fragments, also reads the heads of the fragments.
    ///
    /// - Parameter entryCounts: the lengths of the tracks' tables, by track ID.
    /// - Returns: the result by track ID, for tracks with several entries, and for those whose chunks refer to an entry
    ///   that does not exist. Tracks that cannot be read are missing.
    package static func read(_ path: String, entryCounts: [Int: Int]) -> [Int: EntryPlaces] {
        guard let file = try? DiskFile(path: path, mode: .read), var atoms = try? TopLevelAtoms(file),
            let movie = atoms.first("moov", from: 0, to: atoms.fileSize)
        else { return [:] }
        var chunks: [Int: [(offset: UInt64, entry: Int)]] = [:]
        for track in atoms.children(of: movie) where track.type == "trak" {
            guard let id = atoms.trackID(track), let count = entryCounts[id],
                let tables = atoms.find(["mdia", "minf", "stbl"], in: track),
                count > 1 || namesOthers(than: count, tables, &atoms)
            else { continue }
            chunks[id] = storedChunks(tables, &atoms)
        }
        if atoms.find(["mvex"], in: movie) != nil {
            let ids = Set(entryCounts.keys.filter { chunks[$0] != nil })
            if !ids.isEmpty { addFragments(movie, ids, &atoms, to: &chunks) }
        }
        return chunks.mapValues { EntryPlaces($0) }
    }

    /// Returns true if a chunk table refers to a sample description that does not exist.
    private static func namesOthers(
        than count: Int, _ tables: TopLevelAtoms.Header, _ atoms: inout TopLevelAtoms
    ) -> Bool {
        guard let map = atoms.find(["stsc"], in: tables), map.size <= largestTable,
            let bytes = try? atoms.bytes(at: map.offset + map.headerSize, count: Int(map.size - map.headerSize))
        else { return false }
        var runs = ByteReader(bytes)
        guard runs.skip(8) else { return false }
        while let run = runs.chunkRun() {
            if run.entry >= count { return true }
        }
        return false
    }

    private static func storedChunks(
        _ tables: TopLevelAtoms.Header, _ atoms: inout TopLevelAtoms
    ) -> [(offset: UInt64, entry: Int)] {
        let long = atoms.find(["co64"], in: tables)
        guard let map = atoms.find(["stsc"], in: tables), let offsets = long ?? atoms.find(["stco"], in: tables),
            map.size <= largestTable, offsets.size <= largestTable,
            let mapBytes = try? atoms.bytes(at: map.offset + map.headerSize, count: Int(map.size - map.headerSize)),
            let offsetBytes = try? atoms.bytes(
                at: offsets.offset + offsets.headerSize, count: Int(offsets.size - offsets.headerSize))
        else { return [] }
        var (runs, places) = (ByteReader(mapBytes), ByteReader(offsetBytes))
        guard runs.skip(8), places.skip(8) else { return [] }
        var chunks: [(offset: UInt64, entry: Int)] = []
        var (number, entry): (UInt32, Int) = (1, 0)
        var next = runs.chunkRun()
        while let offset = long == nil ? places.u32().map(UInt64.init) : places.u64() {
            while let run = next, run.first <= number {
                entry = run.entry
                next = runs.chunkRun()
            }
            chunks.append((offset, entry))
            number &+= 1
        }
        return chunks
    }

    private static func addFragments(
        _ movie: TopLevelAtoms.Header, _ ids: Set<Int>, _ atoms: inout TopLevelAtoms,
        to chunks: inout [Int: [(offset: UInt64, entry: Int)]]
    ) {
        guard let bytes = try? atoms.contents(of: movie), let leading = Atom(parsing: bytes) else { return }
        let dialect = FragmentDialect(leading: leading)
        var place = movie.end
        while let atom = try? atoms.header(at: place) {
            place = atom.end
            guard atom.type == "moof", let head = try? atoms.contents(of: atom),
                let tracks = FragmentReader.tracks(inMovieFragment: head, dialect.at(atom.offset))
            else { continue }
            for part in tracks where ids.contains(Int(part.id)) {
                for chunk in part.chunks {
                    let offset = atom.offset &+ UInt64(clamping: chunk.dataOffset)
                    chunks[Int(part.id), default: []].append((offset, Int(clamping: part.description) - 1))
                }
            }
        }
    }
}

extension ByteReader {
    /// Reads an entry of `stsc`: the number of its first chunk, from 1, and the description of its samples, from 0.
    fileprivate mutating func chunkRun() -> (first: UInt32, entry: Int)? {
        guard let first = u32(), skip(4), let entry = u32() else { return nil }
        return (first, max(0, Int(entry) - 1))
    }
}

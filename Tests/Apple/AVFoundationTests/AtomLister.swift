import Foundation

/// The atoms of a movie file, as far as tests inspect them.
struct AtomLister {
    struct Atom {
        var type: String
        var payload: Range<Int>
    }

    let bytes: [UInt8]

    init(_ url: URL) throws { bytes = [UInt8](try Data(contentsOf: url)) }

    func number(at offset: Int, _ count: Int = 4) -> Int {
        guard offset >= 0, offset + count <= bytes.count else { return 0 }
        return bytes[offset..<(offset + count)].reduce(0) { $0 << 8 | Int($1) }
    }

    func atoms(in range: Range<Int>? = nil) -> [Atom] {
        var (found, position): ([Atom], Int) = ([], range?.lowerBound ?? 0)
        let end = range?.upperBound ?? bytes.count
        while position + 8 <= end {
            var (size, head) = (number(at: position), 8)
            if size == 1 { (size, head) = (number(at: position + 8, 8), 16) }
            guard size >= head, position + size <= end else { break }
            let type = String(decoding: bytes[(position + 4)..<(position + 8)], as: UTF8.self)
            found.append(Atom(type: type, payload: (position + head)..<(position + size)))
            position += size
        }
        return found
    }

    /// Returns every atom at a path such as `moov/trak/mdia/minf/stbl/stco`.
    func all(_ path: String) -> [Atom] {
        var level = [Atom(type: "", payload: 0..<bytes.count)]
        for name in path.split(separator: "/") {
            level = level.flatMap { atoms(in: $0.payload) }.filter { $0.type == String(name) }
        }
        return level
    }

    /// The offsets of the first track's chunks.
    var chunkOffsets: [Int] {
        for (name, width) in [("stco", 4), ("co64", 8)] {
            guard let atom = all("moov/trak/mdia/minf/stbl/\(name)").first else { continue }
            let start = atom.payload.lowerBound
            return (0..<number(at: start + 4)).map { number(at: start + 8 + $0 * width, width) }
        }
        return []
    }

    /// The volume in the header of the first track, in 256ths (QTFF, `tkhd`).
    var trackVolume: Int? {
        all("moov/trak/tkhd").first.map { atom in
            let start = atom.payload.lowerBound
            return number(at: start + (bytes[start] == 1 ? 48 : 36), 2)
        }
    }
}

import Foundation
import TestSupport

/// The atoms of a movie file, as far as tests inspect them.
struct AtomLister {
    let bytes: [UInt8]

    init(_ url: URL) throws { bytes = [UInt8](try Data(contentsOf: url)) }

    func number(at offset: Int, _ count: Int = 4) -> Int {
        guard offset >= 0, offset + count <= bytes.count else { return 0 }
        return AtomPlaces.number(count, of: bytes, at: offset)
    }

    /// Returns the top-level atoms.
    func atoms() -> [AtomPlaces.Place] { AtomPlaces.atoms(of: bytes, in: bytes.indices) }

    /// Returns every atom at a path such as `moov/trak/mdia/minf/stbl/stco`.
    func all(_ path: String) -> [AtomPlaces.Place] { AtomPlaces.find(path, of: bytes) }

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

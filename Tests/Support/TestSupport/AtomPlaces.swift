import Foundation

/// Finds atoms in a QuickTime file (QTFF, "Atoms"), independently of the code under test.
enum AtomPlaces {
    /// Returns the payloads of the atoms of a type in a range, which is a complete list of atoms.
    static func all(_ type: String, of bytes: Data, in range: Range<Int>) throws -> [Range<Int>] {
        var found: [Range<Int>] = []
        var place = range.lowerBound
        while place + 8 <= range.upperBound {
            var (size, header) = (number(4, of: bytes, at: place), 8)
            if size == 1, place + 16 <= range.upperBound { (size, header) = (number(8, of: bytes, at: place + 8), 16) }
            if size == 0 { size = range.upperBound - place }
            guard size >= header, size <= range.upperBound - place else {
                throw Command.Failure(description: "the atom at \(place) has an invalid size of \(size)")
            }
            if bytes[(place + 4)..<(place + 8)].elementsEqual(type.utf8) {
                found.append((place + header)..<(place + size))
            }
            place += size
        }
        return found
    }

    /// Returns a big-endian number; at most `Int.max`.
    static func number(_ count: Int, of bytes: Data, at place: Int) -> Int {
        Int(clamping: bytes[place..<(place + count)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    /// Returns the duration in the header of a movie in seconds (QTFF, "Movie Header Atoms"); nil if it has none, like a
    /// fragmented movie, and if the file is damaged.
    static func duration(of path: String) -> Double? {
        guard let bytes = try? Data(contentsOf: URL(fileURLWithPath: path)),
            let movie = try? all("moov", of: bytes, in: bytes.indices).first,
            let fragments = try? all("mvex", of: bytes, in: movie), fragments.isEmpty,
            let header = try? all("mvhd", of: bytes, in: movie).first, header.count >= 32
        else { return nil }
        let isLong = bytes[header.lowerBound] == 1
        // After version, flags and two times.
        let scale = header.lowerBound + (isLong ? 20 : 12)
        let ticks = number(isLong ? 8 : 4, of: bytes, at: scale + 4)
        return ticks > 0 ? Double(ticks) / Double(number(4, of: bytes, at: scale)) : nil
    }
}

import Foundation

/// Finds atoms in a QuickTime file (QTFF, "Atoms"), independently of the code under test.
package enum AtomPlaces {
    package struct Place: Sendable {
        package let type: String
        /// The position of the atom's own header.
        package let start: Int
        package let payload: Range<Int>

        package var end: Int { payload.upperBound }
    }

    /// Returns the atom at a position; nil if it is incomplete or does not state its size.
    package static func atom<Bytes: RandomAccessCollection<UInt8>>(
        at start: Int, of bytes: Bytes, to end: Int
    ) -> Place? where Bytes.Index == Int {
        guard end - start >= 8 else { return nil }
        var (size, header) = (number(4, of: bytes, at: start), 8)
        if size == 1, end - start >= 16 { (size, header) = (number(8, of: bytes, at: start + 8), 16) }
        guard size >= header, size <= end - start else { return nil }
        return Place(
            type: String(decoding: bytes[(start + 4)..<(start + 8)], as: UTF8.self), start: start,
            payload: (start + header)..<(start + size))
    }

    /// Returns the atoms from the beginning of a range on, up to the first that is not complete.
    package static func atoms<Bytes: RandomAccessCollection<UInt8>>(
        of bytes: Bytes, in range: Range<Int>
    ) -> [Place] where Bytes.Index == Int {
        var found: [Place] = []
        while let next = atom(at: found.last?.end ?? range.lowerBound, of: bytes, to: range.upperBound) {
            found.append(next)
        }
        return found
    }

    /// Returns every atom at a path such as `moov/trak/tkhd`.
    ///
    /// - Parameter range: the range in which the path begins; nil: the file.
    package static func find<Bytes: RandomAccessCollection<UInt8>>(
        _ path: String, of bytes: Bytes, in range: Range<Int>? = nil
    ) -> [Place] where Bytes.Index == Int {
        var (ranges, found) = ([range ?? bytes.startIndex..<bytes.endIndex], [Place]())
        for type in path.split(separator: "/") {
            found = ranges.flatMap { atoms(of: bytes, in: $0) }.filter { $0.type == type }
            ranges = found.map(\.payload)
        }
        return found
    }

    /// Returns the payloads of the atoms of a type in a range, which is a complete list of atoms. The last one may
    /// extend to the end without stating its size.
    ///
    /// - Throws: for a range that is not such a list.
    static func all(_ type: String, of bytes: Data, in range: Range<Int>) throws -> [Range<Int>] {
        var found = atoms(of: bytes, in: range)
        let rest = found.last?.end ?? range.lowerBound
        if range.upperBound - rest >= 8 {
            guard number(4, of: bytes, at: rest) == 0 else {
                throw Command.Failure(description: "the atom at \(rest) has an invalid size")
            }
            let name = String(decoding: bytes[(rest + 4)..<(rest + 8)], as: UTF8.self)
            found.append(Place(type: name, start: rest, payload: (rest + 8)..<range.upperBound))
        }
        return found.filter { $0.type == type }.map(\.payload)
    }

    /// Returns a big-endian number; at most `Int.max`.
    package static func number<Bytes: RandomAccessCollection<UInt8>>(
        _ count: Int, of bytes: Bytes, at place: Int
    ) -> Int where Bytes.Index == Int {
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

package import MediaTypes

/// The clean apertures of a QuickTime file's video tracks, which libavformat 5.1 does not return.
///
/// Walks the atoms on disk, and reads only a few kilobytes, however large the header is.
package enum CleanApertures {
    /// The maximum number of tracks, and of sibling atoms; more than any movie has.
    private static let most = 1000

    /// Returns the apertures by track ID; empty if the file cannot be read.
    package static func read(_ path: String) -> [Int: CleanAperture] {
        guard let file = try? DiskFile(path: path, mode: .read), var atoms = try? TopLevelAtoms(file) else {
            return [:]
        }
        var found: [Int: CleanAperture] = [:]
        guard let movie = atoms.first("moov", from: 0, to: atoms.fileSize) else { return [:] }
        for track in atoms.children(of: movie).prefix(most) where track.type == "trak" {
            guard let id = atoms.trackID(track),
                let table = atoms.find(["mdia", "minf", "stbl", "stsd"], in: track),
                // Version, flags and a count, then the first description.
                let description = try? atoms.header(at: table.offset + table.headerSize + 8),
                description.end <= table.end,
                // ISO/IEC 14496-12, 12.1.3.2: 78 bytes of fields, then atoms.
                let aperture = atoms.first("clap", from: description.offset + 8 + 78, to: description.end),
                let bytes = try? atoms.bytes(at: aperture.offset + 8, count: 32)
            else { continue }
            found[id] = CleanAperture(bytes)
        }
        return found
    }
}

extension TopLevelAtoms {
    mutating func children(of parent: Header) -> [Header] {
        var list: [Header] = []
        var offset = parent.offset + parent.headerSize
        while list.count < 1000, offset < parent.end, let next = try? header(at: offset), next.end <= parent.end {
            list.append(next)
            offset = next.end
        }
        return list
    }

    mutating func first(_ type: FourCharCode, from start: UInt64, to end: UInt64) -> Header? {
        var offset = start
        // This limit is enough for a header, because the header of a long recording precedes the fragments. An index
        // may come after more fragments, and is then not found.
        for _ in 0..<10_000 {
            guard offset < end, let next = try? header(at: offset), next.end <= end else { return nil }
            if next.type == type { return next }
            offset = next.end
        }
        return nil
    }

    mutating func find(_ path: [FourCharCode], in parent: Header) -> Header? {
        var atom = parent
        for type in path {
            guard let next = first(type, from: atom.offset + atom.headerSize, to: atom.end) else { return nil }
            atom = next
        }
        return atom
    }

    /// Reads the ID from `tkhd`. The ID follows the version, the flags and two times. A time has eight bytes in version
    /// 1, else four (QTFF, "Track Header Atoms").
    mutating func trackID(_ track: Header) -> Int? {
        guard let header = find(["tkhd"], in: track),
            let bytes = try? bytes(at: header.offset + header.headerSize, count: 24)
        else { return nil }
        var reader = ByteReader(bytes)
        guard let version = bytes.first, reader.skip(version == 1 ? 20 : 12) else { return nil }
        return reader.u32().map(Int.init)
    }
}

extension CleanAperture {
    /// Reads four fractions: width, height, and the offsets of the center (ISO/IEC 14496-12, 12.1.4.2). All are rounded
    /// to pixels. An offset of half a pixel is rounded to the right or down.
    fileprivate init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        var values: [Int32] = []
        for _ in 0..<4 {
            guard let numerator = reader.s32(), let denominator = reader.s32(), denominator > 0 else { return nil }
            let value = Double(numerator) / Double(denominator)
            let isOffset = values.count >= 2
            values.append(Int32(clamping: Int64(clamping: isOffset ? (value + 0.5).rounded(.down) : value.rounded())))
        }
        guard values[0] > 0, values[1] > 0 else { return nil }
        self.init(width: values[0], height: values[1], horizontalOffset: values[2], verticalOffset: values[3])
    }
}

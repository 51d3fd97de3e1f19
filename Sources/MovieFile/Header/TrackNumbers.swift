package import MediaTypes

/// The numbers of a movie's tracks, as far as fragments depend on them.
package enum TrackNumbers {
    /// Why libavformat must not open a file: it has fragments, and a track without a number from 1 to 2³¹ − 1.
    ///
    /// libavformat 5.1 then takes an error code for an index and counts from it to zero, 1.1 billion steps for each `trun`: a minute for
    /// a recording of a minute, and nothing interrupts it.
    ///
    /// - Returns: nil for every other file, also for one that cannot be read.
    package static func fault(_ path: String) -> MediaError? {
        guard let file = try? DiskFile(path: path, mode: .read), isFaulty(file) else { return nil }
        return MediaError(
            .corruptData, "cannot read \(path)", reason: "its header is damaged: a track has no number",
            wayOut: "if a recorder made it, `recorder repair` may find a copy of the header in it")
    }

    /// Reads the outermost headers of atoms, and the movie's header.
    static func isFaulty(_ storage: any MovieStorage) -> Bool {
        guard var atoms = try? TopLevelAtoms(storage) else { return false }
        var (place, hasFragments, lacksNumber) = (UInt64(0), false, false)
        // Of a whole movie the header is among the first or the last few; a recording has thousands of atoms behind it.
        for _ in 0..<100_000 {
            guard let atom = try? atoms.header(at: place), atom.size >= 8 else { break }
            if atom.type == "moof" { hasFragments = true }
            if atom.type == "moov", let bytes = try? atoms.contents(of: atom) {
                let parts = children(bytes.dropFirst(Int(atom.headerSize)))
                lacksNumber = parts.contains { type, track in
                    type == "trak" && (number(track).map { !(1...UInt32(Int32.max)).contains($0) } ?? true)
                }
                hasFragments = hasFragments || parts.contains { $0.type == "mvex" }
                guard lacksNumber else { return false }
            }
            if hasFragments, lacksNumber { return true }
            place = atom.end
        }
        return false
    }

    /// What is in an atom, up to where a length contradicts the others, as libavformat reads it.
    private static func children(_ bytes: ArraySlice<UInt8>) -> [(type: FourCharCode, body: ArraySlice<UInt8>)] {
        var reader = ByteReader(bytes)
        var found: [(type: FourCharCode, body: ArraySlice<UInt8>)] = []
        reader.forEachAtom { found.append(($0, $1)) }
        return found
    }

    /// `tkhd`: version and flags, two times of four or eight bytes, the number (QTFF, "Track Header Atoms").
    private static func number(_ trak: ArraySlice<UInt8>) -> UInt32? {
        guard let header = children(trak).first(where: { $0.type == "tkhd" })?.body, let version = header.first else {
            return nil
        }
        var reader = ByteReader(header)
        return reader.skip(version == 1 ? 20 : 12) ? reader.u32() : nil
    }
}

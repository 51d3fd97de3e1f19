package import MediaTypes

/// Checks for numbers in a fragmented movie that make libavformat loop for minutes, or fill the memory.
package enum TrackNumbers {
    /// Returns an error if libavformat must not open a file. This is a fragmented file with a track ID outside of 1 to
    /// 2³¹ − 1, or with a `trun` that has more samples than the file has bytes.
    ///
    /// For a track without a valid ID, libavformat 5.1 uses an error code as an index and counts from it to zero, 1.1
    /// billion steps for each `trun`. That takes a minute for a recording of a minute, and cannot be interrupted. For
    /// samples that are only counted it creates an index of 24 bytes each, up to 2 GB, each time it opens the file.
    ///
    /// - Returns: nil for every other file, including one that cannot be read.
    package static func fault(_ path: String) -> MediaError? {
        guard let file = try? DiskFile(path: path, mode: .read), let fault = fault(in: file) else { return nil }
        switch fault {
        case .number:
            return MediaError(
                .corruptData, "cannot read \(path)", reason: "its header is damaged: a track has no ID",
                wayOut: "if `recorder` wrote it, `recorder repair` may find a copy of the header in it")
        case .count:
            return MediaError(
                .corruptData, "cannot read \(path)", reason: "a fragment claims more samples than the file has bytes",
                wayOut: "if `recorder` wrote it, `recorder repair` keeps the readable part")
        }
    }

    enum Fault { case number, count }

    /// Reads the top-level atom headers, the movie header and, in a fragmented movie, the fragments' headers.
    static func fault(in storage: any MovieStorage) -> Fault? {
        guard var atoms = try? TopLevelAtoms(storage) else { return nil }
        var (place, hasFragments, lacksNumber) = (UInt64(0), false, false)
        // In a finalized movie the header is among the first or the last few atoms; in a recording thousands of atoms
        // follow it.
        for _ in 0..<100_000 {
            guard let atom = try? atoms.header(at: place), atom.size >= 8 else { break }
            if atom.type == "moof" {
                hasFragments = true
                guard let bytes = try? atoms.contents(of: atom) else { break }
                if claims(bytes.dropFirst(Int(atom.headerSize)), more: atoms.fileSize) { return .count }
            }
            if atom.type == "moov", let bytes = try? atoms.contents(of: atom) {
                let parts = children(bytes.dropFirst(Int(atom.headerSize)))
                lacksNumber = parts.contains { type, track in
                    type == "trak" && (number(track).map { !(1...UInt32(Int32.max)).contains($0) } ?? true)
                }
                hasFragments = hasFragments || parts.contains { $0.type == "mvex" }
                guard lacksNumber || hasFragments else { return nil }
            }
            if hasFragments, lacksNumber { return .number }
            place = atom.end
        }
        return nil
    }

    /// Returns true if a `trun` of a fragment has more than `most` samples.
    private static func claims(_ moof: ArraySlice<UInt8>, more most: UInt64) -> Bool {
        children(moof).filter { $0.type == "traf" }.flatMap { children($0.body) }.contains { type, body in
            guard type == "trun" else { return false }
            var reader = ByteReader(body)
            return reader.skip(4) && reader.u32().map { UInt64($0) > most } ?? false
        }
    }

    /// Returns the child atoms up to the first invalid length, as libavformat does.
    private static func children(_ bytes: ArraySlice<UInt8>) -> [(type: FourCharCode, body: ArraySlice<UInt8>)] {
        var reader = ByteReader(bytes)
        var found: [(type: FourCharCode, body: ArraySlice<UInt8>)] = []
        reader.forEachAtom { found.append(($0, $1)) }
        return found
    }

    /// Reads the track ID from `tkhd`: version and flags, two times of four or eight bytes, the ID (QTFF, "Track Header
    /// Atoms").
    private static func number(_ trak: ArraySlice<UInt8>) -> UInt32? {
        guard let header = children(trak).first(where: { $0.type == "tkhd" })?.body, let version = header.first else {
            return nil
        }
        var reader = ByteReader(header)
        return reader.skip(version == 1 ? 20 : 12) ? reader.u32() : nil
    }
}

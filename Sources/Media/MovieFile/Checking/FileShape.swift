package import MediaTypes

/// The outermost structure of a movie file. A reader must know it before trusting the rest. Reads only the headers of
/// atoms, whatever the file's size. Changes nothing.
package struct FileShape: Sendable {
    package enum Form: Sendable {
        /// A file of another format family, whose structure is not known.
        case other
        /// One header with tables, and media data.
        case ordinary
        /// An unfinished fragmented recording of this library.
        case recording
        /// A fragmented file of another program; it may be complete.
        case fragments
        /// A file of QuickTime's family without a movie header.
        case headless
    }

    /// An atom that continues past the end of the file.
    package struct CutOff: Sendable {
        package var type: FourCharCode
        /// The number of missing bytes; nil if not even the atom's length is complete.
        package var missing: UInt64?
    }

    package private(set) var form = Form.other
    package let size: UInt64
    package private(set) var cutOff: CutOff?
    /// The offset of the first bytes that are not an atom; nil if there are none.
    package private(set) var garbage: UInt64?
    /// The ranges of media data in the order of the file, without the atoms' own headers. Set for ordinary movies only.
    private(set) var media: [Range<UInt64>] = []
    private(set) var header: TopLevelAtoms.Header?

    /// The maximum number of atoms, more than any ordinary movie has.
    private static let mostAtoms = 1 << 20

    package init(_ storage: any MovieStorage) throws(MediaError) {
        var atoms = try TopLevelAtoms(storage)
        size = atoms.fileSize
        var (position, count) = (UInt64(0), 0)
        var (hasFragments, isInFragments, isOurs) = (false, false, false)
        while position < size, count < Self.mostAtoms {
            guard let atom = try atoms.header(at: position) else {
                try end(at: position, &atoms)
                break
            }
            if count == 0, !TopLevelAtoms.family.contains(atom.type) { return }
            if atom.type == "moov", header == nil {
                header = atom
                if let bytes = try atoms.contents(of: atom), let moov = Atom(parsing: bytes) {
                    isInFragments = moov["mvex"] != nil
                    isOurs = isInFragments && RecordingMark.isOn(moov)
                }
            }
            if atom.type == "moof" { hasFragments = true }
            if atom.type == "mdat", !isInFragments { media.append(atom.offset + atom.headerSize..<atom.end) }
            position = atom.end
            count += 1
        }
        guard count > 0 || cutOff != nil else { return }
        form =
            header == nil
            ? .headless : isOurs ? .recording : hasFragments || isInFragments ? .fragments : .ordinary
    }

    /// Records how the file ends: there is no complete atom at `position`.
    private mutating func end(at position: UInt64, _ atoms: inout TopLevelAtoms) throws(MediaError) {
        var reader = ByteReader(try atoms.bytes(at: position, count: Int(min(16, size - position))))
        guard let short = reader.u32(), let type = reader.code() else {
            // Fewer than eight bytes. QuickTime permits four zeros at the end of a list. After a header and media, the
            // bytes are not the beginning of another atom.
            guard position > 0, size - position != 4 else { return }
            if header != nil, !media.isEmpty {
                garbage = position
            } else {
                cutOff = CutOff(type: "free", missing: nil)
            }
            return
        }
        // A length of 0 means that the atom extends to the end of the file.
        if short == 0, type == "mdat" {
            media.append(position + 8..<size)
            return
        }
        guard TopLevelAtoms.isOfMovie(type) else {
            if position > 0 { garbage = position }
            return
        }
        var length = UInt64(short)
        if short == 1 {
            guard let long = reader.u64() else {
                cutOff = CutOff(type: type, missing: nil)
                return
            }
            length = long
        }
        guard length > size - position else {
            garbage = position
            return
        }
        let missing = length - (size - position)
        if type == "mdat" { media.append(min(position + (short == 1 ? 16 : 8), size)..<size) }
        cutOff = CutOff(type: type, missing: missing)
    }
}

extension MovieFinisher {
    /// Returns the report that finalizing a recording would return. Reads the fragments' headers; changes nothing.
    ///
    /// - Returns: nil for an ordinary movie.
    /// - Throws: `corruptData` if there is not a single complete sample, or the storage's error.
    package static func look(at storage: any MovieStorage) throws(MediaError) -> Report? {
        guard let recording = try ExaminedRecording(storage, facts: FinishingInfo()) else { return nil }
        let (_, duration) = recording.final.assemble(
            recording.survey.indices, hasLongOffsets: recording.survey.largestChunkOffset > UInt64(UInt32.max))
        return report(recording.survey, duration, fileSize: recording.fileSize)
    }
}

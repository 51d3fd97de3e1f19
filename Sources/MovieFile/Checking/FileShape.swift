package import MediaTypes

/// The outermost parts of a movie file, as far as they go: what a reader must know before it believes anything. Reads headers
/// of atoms alone, whatever the file's size. Nothing is changed by looking.
package struct FileShape: Sendable {
    package enum Form: Sendable {
        /// None of QuickTime's family: nothing is known.
        case other
        /// One header with tables, and media data.
        case ordinary
        /// A recording of ours in fragments: not finished.
        case recording
        /// In fragments, by another program: it may be whole.
        case fragments
        /// A file of the family without a header.
        case headless
    }

    /// The file ends inside an atom.
    package struct CutOff: Sendable {
        package var type: FourCharCode
        /// How many bytes are not there; nil where even the length is not.
        package var missing: UInt64?
    }

    package private(set) var form = Form.other
    package let size: UInt64
    package private(set) var cutOff: CutOff?
    /// Where something begins that is no atom.
    package private(set) var garbage: UInt64?
    /// Places of media data, without the atoms' own headers. Of an ordinary movie alone.
    private(set) var media: [Range<UInt64>] = []
    private(set) var header: TopLevelAtoms.Header?

    private static let family: Set<FourCharCode> = [
        "ftyp", "moov", "mdat", "wide", "free", "skip", "pnot", "moof", "styp", "sidx",
    ]
    /// More than any ordinary movie has.
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
            if count == 0, !Self.family.contains(atom.type) { return }
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

    /// What is there is no whole atom.
    private mutating func end(at position: UInt64, _ atoms: inout TopLevelAtoms) throws(MediaError) {
        var reader = ByteReader(try atoms.bytes(at: position, count: Int(min(16, size - position))))
        guard let short = reader.u32(), let type = reader.code() else {
            // Fewer than eight bytes; QuickTime lets a list end with four zeros.
            if position > 0 { cutOff = size - position == 4 ? nil : CutOff(type: "free", missing: nil) }
            return
        }
        // 0: to the end of the file.
        if short == 0, type == "mdat" {
            media.append(position + 8..<size)
            return
        }
        let isKnown = Self.family.contains(type) || type == "uuid" || type == "meta"
        guard isKnown else {
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
    /// What finishing a recording would come to. Reads the fragments' headers; changes nothing.
    ///
    /// - Returns: nil for an ordinary movie.
    /// - Throws: `corruptData` where not one whole sample is there, or the storage's error.
    package static func look(at storage: any MovieStorage) throws(MediaError) -> Report? {
        guard let recording = try ExaminedRecording(storage, facts: FinishingFacts()) else { return nil }
        let (_, duration) = recording.final.assemble(
            recording.survey.indices, hasLongOffsets: recording.survey.largestChunkOffset > UInt64(UInt32.max))
        return report(recording.survey, duration, fileSize: recording.fileSize)
    }
}

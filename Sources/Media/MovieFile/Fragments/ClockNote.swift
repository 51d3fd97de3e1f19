import MediaTypes

/// A note of wall clock readings and pauses in one part of a recording, which the leading header does not contain. It
/// is stored before a fragment, in the same write, so a crash loses a note only together with media.
///
/// The note is a `free` atom. After the atom's header, it has `rcfk`, the version (32 bits), the checksum of the rest
/// (32 bits), and a `RecordingClock` as JSON. Other readers skip it.
enum ClockNote {
    static let signature: FourCharCode = "rcfk"
    private static let version: UInt32 = 1
    private static let headerSize = 20
    /// The maximum size of a note, more than this library writes.
    private static let largest: UInt64 = 1 << 20

    static func write(_ clock: RecordingClock, into writer: inout AtomWriter) {
        let text = Array(clock.metadataItem.value.utf8)
        writer.atom("free") { free in
            free.code(signature)
            free.u32(version)
            free.u32(Checksum.of(text[...]))
            free.raw(text)
        }
    }

    /// Returns true if an atom begins like a note, complete or not.
    static func isNote(_ atom: TopLevelAtoms.Header, _ atoms: inout TopLevelAtoms) throws(MediaError) -> Bool {
        guard atom.type == "free", atom.headerSize == 8, (UInt64(headerSize)...largest).contains(atom.size) else {
            return false
        }
        var reader = ByteReader(try atoms.bytes(at: atom.offset + 8, count: headerSize - 8))
        return reader.code() == signature && reader.u32() == version
    }

    private static func read(_ atom: TopLevelAtoms.Header, _ atoms: inout TopLevelAtoms) throws(MediaError)
        -> RecordingClock?
    {
        guard try isNote(atom, &atoms), let bytes = try atoms.contents(of: atom), bytes.count == Int(atom.size) else {
            return nil
        }
        var reader = ByteReader(bytes[16...])
        let text = bytes[headerSize...]
        guard reader.u32() == Checksum.of(text) else { return nil }
        return RecordingClock(text: String(decoding: text, as: UTF8.self))
    }

    /// Returns the combined notes of a recording, up to the first damaged atom; nil if there are none.
    static func gathered(from storage: any MovieStorage) throws(MediaError) -> RecordingClock? {
        var atoms = try TopLevelAtoms(storage)
        var position: UInt64 = 0
        var clock: RecordingClock?
        while let atom = try atoms.header(at: position), atom.end > position {
            if atom.type == "free", let note = try read(atom, &atoms) {
                if clock?.boot == note.boot { clock?.add(note) } else { clock = clock ?? note }
            }
            position = atom.end
        }
        return clock
    }
}

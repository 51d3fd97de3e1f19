import MediaTypes

/// Checks that a fragment's head has exactly the form that a recorder writes, which players interpret in only one way.
///
/// The head itself is not signed, only its values for the samples. A head of another form may mean something else to a
/// player: offsets from another base, a second description, an atom that belongs in a header.
enum PlainFragment {
    /// The flag of `tfhd` that is required: offsets are relative to the start of the `moof`. The flags of `defaults`
    /// are permitted: one duration, one size, one flag for all samples (ISO/IEC 14496-12, 8.8.7).
    private static let base: UInt32 = 0x02_0000
    private static let defaults: UInt32 = 0x38
    /// The flags of `trun` that are permitted: the data offset, the first sample's flags, and four fields of each
    /// sample (8.8.8).
    private static let runFields: UInt32 = 0xF05

    /// Returns true if a fragment's head has the form that a recorder writes.
    ///
    /// - Parameter head: a `moof` with its header.
    static func isPlain(_ head: [UInt8]) -> Bool {
        guard let parts = atoms(head.dropFirst(8)), parts.count > 1, parts[0].type == "mfhd", parts[0].body.count == 8
        else { return false }
        return parts.dropFirst().allSatisfy { $0.type == "traf" && isPlainTrack($0.body) }
    }

    private static func isPlainTrack(_ traf: ArraySlice<UInt8>) -> Bool {
        guard let parts = atoms(traf), parts.count > 2, parts[0].type == "tfhd", parts[1].type == "tfdt" else {
            return false
        }
        return isPlainHeader(parts[0].body) && isPlainTime(parts[1].body)
            && parts.dropFirst(2).allSatisfy { $0.type == "trun" && isPlainRun($0.body) }
    }

    private static func isPlainHeader(_ tfhd: ArraySlice<UInt8>) -> Bool {
        var reader = ByteReader(tfhd)
        guard let word = reader.u32(), word & ~defaults == base, reader.skip(4) else { return false }
        return reader.remaining == 4 * (word & defaults).nonzeroBitCount
    }

    private static func isPlainTime(_ tfdt: ArraySlice<UInt8>) -> Bool {
        var reader = ByteReader(tfdt)
        guard let word = reader.u32() else { return false }
        return word == 1 << 24 && reader.remaining == 8
    }

    /// Checks a `trun`. Samples that a repair has excluded from the count may still be listed.
    private static func isPlainRun(_ trun: ArraySlice<UInt8>) -> Bool {
        var reader = ByteReader(trun)
        guard let word = reader.u32(), word >> 24 == 1, let count = reader.u32(), reader.skip(4) else { return false }
        let flags = word & 0xFF_FFFF
        guard flags & ~runFields == 0, flags & 0x01 != 0, flags & 0x404 != 0x404 else { return false }
        if flags & 0x04 != 0, !reader.skip(4) { return false }
        return Int(count) * 4 * (flags & 0xF00).nonzeroBitCount <= reader.remaining
    }

    /// Returns the atoms in these bytes; nil if they do not fill the bytes exactly.
    private static func atoms(_ bytes: ArraySlice<UInt8>) -> [(type: FourCharCode, body: ArraySlice<UInt8>)]? {
        var reader = ByteReader(bytes)
        var all: [(type: FourCharCode, body: ArraySlice<UInt8>)] = []
        reader.forEachAtom { all.append(($0, $1)) }
        return reader.remaining == 0 ? all : nil
    }
}

import MediaTypes

/// Distinguishes our leading headers from those of other programs. Only our own files are changed in place, because
/// other programs write fragments with other meanings.
///
/// Recordings of earlier versions do not contain the name of this program. The mark is therefore a combination that no
/// other program writes: 64-bit times of zero, handlers with the names that `MediaHeader` writes, and no defaults for
/// any track.
enum RecordingMark {
    static func isOn(_ leading: Atom) -> Bool {
        let tracks = leading.all("trak")
        guard let mvhd = leading.children.first, mvhd.type == "mvhd", isOpen(mvhd, durationAt: 24),
            let extends = leading["mvex"], extends["mehd"] == nil, extends.all("trex").allSatisfy(hasNoDefaults)
        else { return false }
        return tracks.allSatisfy { trak in
            guard let mdhd = trak.find("mdia", "mdhd"), let tkhd = trak["tkhd"], let name = handlerName(trak) else {
                return false
            }
            return isOpen(mdhd, durationAt: 24) && tkhd.payload.first == 1 && MediaHeader.handlerNames.contains(name)
        }
    }

    /// Returns true for version 1 with a duration of zero: the duration is in the fragments.
    private static func isOpen(_ header: Atom, durationAt offset: Int) -> Bool {
        let bytes = header.payload
        return bytes.first == 1 && bytes.count >= offset + 8 && bytes[offset..<(offset + 8)].allSatisfy { $0 == 0 }
    }

    private static func hasNoDefaults(_ trex: Atom) -> Bool {
        let bytes = trex.payload
        return bytes.count == 24 && bytes[12...].allSatisfy { $0 == 0 }
    }

    private static func handlerName(_ trak: Atom) -> String? {
        guard let handler = trak.find("mdia", "hdlr"), handler.payload.count > 24 else { return nil }
        let bytes = handler.payload[24...]
        // In QuickTime a length precedes the name, in MPEG-4 a zero follows it.
        if let length = bytes.first, Int(length) == bytes.count - 1 {
            return String(decoding: bytes.dropFirst(), as: UTF8.self)
        }
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}

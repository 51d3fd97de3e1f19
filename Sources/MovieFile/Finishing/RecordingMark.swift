import MediaTypes

/// Tells a leading header of ours from those of other programs. Only what is ours is changed in its place: the fragments of
/// others mean other things.
///
/// No name of ours stands in it, in no recording there is; but no other program writes it: 64-bit times of zero, handlers of
/// these names, and no default for any track.
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

    /// Version 1 with a duration of zero: it is in the fragments.
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
        // QuickTime's has its length in front, MPEG-4's a zero behind.
        if let length = bytes.first, Int(length) == bytes.count - 1 {
            return String(decoding: bytes.dropFirst(), as: UTF8.self)
        }
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}

import MediaTypes

/// Reads the edit list of a leading header. This library writes a list of one entry, the start of the session. Other
/// programs also write empty edits before it, for a track that begins later than the movie, and lists of several parts.
enum LeadingEdits {
    /// Returns the length of the empty edits at the start of a track, in the movie's ticks.
    static func delay(_ trak: Atom) -> UInt64 {
        entries(trak).prefix { $0.mediaTime < 0 }.reduce(0) { min($0 &+ min($1.duration, 1 << 60), 1 << 60) }
    }

    /// Returns the edits of a list with several parts of the media; nil for other lists.
    static func several(_ trak: Atom) -> [EditList.Entry]? {
        let entries = entries(trak)
        return entries.filter { $0.mediaTime >= 0 }.count > 1 ? entries : nil
    }

    /// Returns the edits of several parts, as far as their media exists. An edit without a duration lasts until the end
    /// of the media. Returns nil if none of the media exists.
    static func following(
        _ edits: [EditList.Entry], sections: [TrackTimes.Section], scale: Int32, movieScale: Int32
    ) -> EditList? {
        let mediaEnd = sections.reduce(0) { max($0, $1.presentationEnd) }
        var shown: [EditList.Entry] = []
        for edit in edits {
            guard edit.mediaTime >= 0 else {
                shown.append(edit)
                continue
            }
            // A damaged list may contain any number.
            let start = min(edit.mediaTime, 1 << 60)
            let rest = MediaTime(value: max(0, mediaEnd - start), timescale: scale)
            let most = UInt64(clamping: rest.ticks(in: movieScale))
            let section = sections.last { $0.decodeStart <= start } ?? sections[0]
            let entry = EditList.Entry(
                duration: edit.duration == 0 ? most : min(edit.duration, most),
                mediaTime: max(0, start - section.shift))
            if entry.duration > 0 { shown.append(entry) }
        }
        while let last = shown.last, last.mediaTime < 0 { shown.removeLast() }
        return shown.isEmpty ? nil : EditList(shown)
    }

    private static func entries(_ trak: Atom) -> [EditList.Entry] {
        trak.find("edts", "elst").flatMap { EditList(payload: $0.payload) }?.entries ?? []
    }
}

extension EditList {
    /// Returns the list with an empty edit before it, in the movie's ticks.
    func delayed(by delay: UInt64) -> EditList {
        guard delay > 0 else { return self }
        var entries = entries
        if let first = entries.first, first.mediaTime < 0 {
            entries[0].duration += delay
        } else {
            entries.insert(Entry(duration: delay, mediaTime: -1), at: 0)
        }
        return EditList(entries)
    }
}

import MediaTypes

/// The edit list of a track: the ranges of its media, and the time at which each is shown (QTFF, "Edit Lists").
struct EditList {
    struct Entry: Equatable {
        /// Duration in the movie's time scale.
        var duration: UInt64
        /// The start of the range in the media's time scale; −1 to show nothing for `duration`.
        var mediaTime: Int64
    }

    var entries: [Entry]
    /// True if every entry with media plays at the media's own rate.
    private(set) var hasUsualRate = true

    init(_ entries: [Entry]) { self.entries = entries }

    /// Returns an `elst` atom, with 32-bit numbers if they fit.
    func atom() -> [UInt8] {
        let isWide = entries.contains { $0.duration > UInt64(UInt32.max) || Int32(exactly: $0.mediaTime) == nil }
        var writer = AtomWriter()
        writer.fullAtom("elst", version: isWide ? 1 : 0) { elst in
            elst.u32(UInt32(entries.count))
            for entry in entries {
                if isWide {
                    elst.u64(entry.duration)
                    elst.s64(entry.mediaTime)
                } else {
                    elst.u32(UInt32(entry.duration))
                    elst.s32(Int32(entry.mediaTime))
                }
                elst.fixed(1)
            }
        }
        return writer.bytes
    }

    /// Reads the payload of an `elst` atom.
    init?(payload: [UInt8]) {
        var reader = ByteReader(payload)
        guard let version = reader.u8(), reader.skip(3), let count = reader.u32() else { return nil }
        entries = []
        for _ in 0..<min(Int(count), payload.count / 12) {
            guard let duration = version == 1 ? reader.u64() : reader.u32().map(UInt64.init),
                let time = version == 1
                    ? reader.u64().map(Int64.init(bitPattern:)) : reader.s32().map(Int64.init),
                let rate = reader.u32()
            else { return nil }
            if time >= 0, rate != 1 << 16 { hasUsualRate = false }
            entries.append(Entry(duration: duration, mediaTime: time))
        }
    }
}

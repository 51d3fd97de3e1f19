import MediaTypes

/// A fragment of a damaged recording: its position, the position of a readable head, and the values by which fragments
/// are sorted. It is small, because one such value for each fragment of a recording is kept in memory.
struct FoundFragment {
    /// The original start of the fragment's `moof`.
    var offset: UInt64
    /// The position at which the head is read: `offset`, or the position of a copy.
    var headPlace: UInt64
    var headSize: UInt32
    /// The sequence number; 0 if unknown.
    var sequence: UInt32
    /// The fragment's first track, and the decode time of that track's first sample.
    var track: UInt32
    var time: UInt64
    /// False if the head does not state that time, which other programs may omit.
    var hasTime: Bool
    /// The end of the media data that may contain the fragment's samples. Other data follows.
    var limit: UInt64 = .max
    /// True if a known piece begins directly after the fragment.
    var isChained = false

    /// Parses the head of a fragment. Returns nil if the bytes are not a head of this movie.
    ///
    /// - Parameters:
    ///   - head: the `moof`.
    ///   - tracks: the IDs of the tracks in the leading header; nil if that header is unknown.
    ///   - dialect: for fragments of another program; nil for those of this library.
    init?(
        head: [UInt8], at offset: UInt64, headPlace: UInt64, tracks: Set<UInt32>?, dialect: FragmentDialect? = nil
    ) {
        guard let parts = FragmentReader.tracks(inMovieFragment: head, dialect?.at(offset)),
            head.count <= Int(Int32.max),
            let first = parts.first(where: { (tracks?.contains($0.id) ?? true) && $0.sampleCount > 0 }),
            parts.allSatisfy({ $0.isPlausible(media: UInt64(head.count)..<(1 << 62)) })
        else { return nil }
        self.offset = offset
        self.headPlace = headPlace
        headSize = UInt32(head.count)
        sequence = FragmentReader.sequenceNumber(inMovieFragment: head) ?? 0
        (track, time, hasTime) = (first.id, first.decodeTime, first.hasTime)
    }

    var headEnd: UInt64 { offset + UInt64(headSize) }

    /// The maximum size of the fragment's samples, in bytes.
    var room: UInt64 { limit - min(headEnd, limit) }

    /// Returns the size of an `mdat`, from the `mdat` header at the end of a head.
    static func mediaSize(_ header: ArraySlice<UInt8>) -> UInt64? {
        var reader = ByteReader(header)
        guard let short = reader.u32(), reader.code() == "mdat" else { return nil }
        guard short == 1 else { return short >= 8 ? UInt64(short) : nil }
        return reader.u64().flatMap { $0 >= 16 ? $0 : nil }
    }
}

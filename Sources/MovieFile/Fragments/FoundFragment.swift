import MediaTypes

/// A fragment of a damaged recording: where it is, where its head is to be read, and what orders it among the others. Small,
/// as a whole recording of them is held.
struct FoundFragment {
    /// Where its `moof` begins, or began.
    var offset: UInt64
    /// Where its head is read: there, or in a copy.
    var headPlace: UInt64
    var headSize: UInt32
    /// 0 where nobody knows.
    var sequence: UInt32
    /// Its first track, and when that one's first sample is decoded.
    var track: UInt32
    var time: UInt64
    /// Where the media data that its samples can be in ends: what comes then is something else.
    var limit: UInt64 = .max
    /// Something known begins right behind it.
    var isChained = false

    /// nil for bytes that are no head of this movie's.
    ///
    /// - Parameters:
    ///   - head: the `moof`.
    ///   - tracks: those of the leading header; nil while it is unknown.
    ///   - dialect: of another program; nil for ours.
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
        (track, time) = (first.id, first.decodeTime)
    }

    var headEnd: UInt64 { offset + UInt64(headSize) }

    /// How many bytes its samples can have.
    var room: UInt64 { limit - min(headEnd, limit) }

    /// The size of an `mdat` by the header that a head ends with.
    static func mediaSize(_ header: ArraySlice<UInt8>) -> UInt64? {
        var reader = ByteReader(header)
        guard let short = reader.u32(), reader.code() == "mdat" else { return nil }
        guard short == 1 else { return short >= 8 ? UInt64(short) : nil }
        return reader.u64().flatMap { $0 >= 16 ? $0 : nil }
    }
}

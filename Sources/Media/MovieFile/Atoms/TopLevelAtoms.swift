import MediaTypes

/// Walks the top-level atoms of a file. Reads only their headers.
struct TopLevelAtoms {
    struct Header: Equatable {
        var type: FourCharCode
        var offset: UInt64
        /// The size of header and body together.
        var size: UInt64
        var headerSize: UInt64
        var end: UInt64 { offset + size }
    }

    private let storage: any MovieStorage
    let fileSize: UInt64
    private var window: [UInt8] = []
    private var windowOffset: UInt64 = 0
    /// The number of bytes per read: enough for a fragment's header and the header of the media data after it.
    private static let windowSize = 16 << 10
    /// The maximum size of a header, far more than the headers of this library have. Prevents a false length from
    /// filling the memory.
    static let largestHeader: UInt64 = 32 << 20

    init(_ storage: any MovieStorage) throws(MediaError) {
        self.storage = storage
        fileSize = try storage.size()
    }

    /// Returns the atom at an offset; nil at the end of the file, and if the bytes at the offset are no complete atom
    /// (truncated, zeros, garbage).
    mutating func header(at offset: UInt64) throws(MediaError) -> Header? {
        guard offset <= fileSize, fileSize - offset >= 8 else { return nil }
        var reader = ByteReader(try bytes(at: offset, count: Int(min(16, fileSize - offset))))
        guard let short = reader.u32(), let type = reader.code() else { return nil }
        var size = UInt64(short)
        var headerSize: UInt64 = 8
        if short == 1 {
            guard let long = reader.u64() else { return nil }
            size = long
            headerSize = 16
        }
        guard size >= headerSize, size <= fileSize - offset else { return nil }
        return Header(type: type, offset: offset, size: size, headerSize: headerSize)
    }

    /// Returns the bytes of a header atom; nil if it is unreasonably large.
    mutating func contents(of atom: Header) throws(MediaError) -> [UInt8]? {
        guard atom.size <= Self.largestHeader else { return nil }
        return try bytes(at: atom.offset, count: Int(atom.size))
    }

    /// Returns up to `count` bytes; fewer only at the end of the file.
    mutating func bytes(at offset: UInt64, count: Int) throws(MediaError) -> [UInt8] {
        if count > Self.windowSize { return try storage.read(count, at: offset) }
        if offset < windowOffset || offset + UInt64(count) > windowOffset + UInt64(window.count) {
            window = try storage.read(Self.windowSize, at: offset)
            windowOffset = offset
        }
        let start = Int(offset - windowOffset)
        return Array(window[start..<min(window.count, start + count)])
    }
}

extension TopLevelAtoms {
    /// The bytes after the last complete atom of a file.
    enum Tail {
        case nothing
        /// Media data of length 0, which extends to the end of the file (ISO/IEC 14496-12, 4.2).
        case media
        /// An atom that is longer than the rest of the file.
        case cutOff
        /// Bytes that are no atom of a movie, such as zeros, or data of another program.
        case other
    }

    /// The types of the atoms with which a movie can begin or end.
    static let family: Set<FourCharCode> = [
        "ftyp", "moov", "mdat", "wide", "free", "skip", "pnot", "moof", "styp", "sidx",
    ]

    /// Returns true for an atom whose length is trusted even if it exceeds the file.
    static func isOfMovie(_ type: FourCharCode) -> Bool { family.contains(type) || type == "uuid" || type == "meta" }

    /// Returns what is at an offset at which no complete atom begins.
    mutating func tail(at offset: UInt64) throws(MediaError) -> Tail {
        guard offset < fileSize else { return .nothing }
        var reader = ByteReader(try bytes(at: offset, count: Int(min(16, fileSize - offset))))
        guard let short = reader.u32(), let type = reader.code() else { return .other }
        if short == 0, type == "mdat" { return .media }
        guard Self.isOfMovie(type) else { return .other }
        guard short == 1 else { return UInt64(short) > fileSize - offset ? .cutOff : .other }
        guard let long = reader.u64() else { return .cutOff }
        return long > fileSize - offset ? .cutOff : .other
    }
}

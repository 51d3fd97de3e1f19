import MovieFile

/// Whether a file that is a row of small units, and has no header that tells its size, ends inside one of them.
enum StreamEnd {
    /// A transport stream: packets of 188 bytes (ITU-T H.222.0, 2.4.3.2), with a time in front (192, Blu-ray and AVCHD) or a
    /// check sum behind (204).
    static func isInsideTransportPacket(_ file: DiskFile, size: UInt64) -> Bool {
        let head = bytes(file, at: 0, count: 4 * 204 + 1)
        let forms: [(length: Int, offset: Int)] = [(188, 0), (192, 4), (204, 0)]
        for (length, offset) in forms {
            let syncs = stride(from: offset, to: head.count, by: length)
            if head.count > offset + length, syncs.allSatisfy({ head[$0] == 0x47 }) {
                return size % UInt64(length) != 0
            }
        }
        return false
    }

    /// Ogg: the last page lacks bytes, or is not the last of its stream (RFC 3533, 6).
    static func lacksOggPages(_ file: DiskFile, size: UInt64) -> Bool {
        // No page is longer than 65,307 bytes.
        let start = size > 65_307 ? size - 65_307 : 0
        let tail = bytes(file, at: start, count: Int(size - start))
        let capture = Array("OggS".utf8)
        guard let last = tail.indices.last(where: { tail[$0...].starts(with: capture) }) else { return false }
        let page = tail[last...]
        guard page.count >= 27 else { return true }
        let segments = Int(page[last + 26])
        guard page.count >= 27 + segments else { return true }
        if page.count < page[(last + 27)..<(last + 27 + segments)].reduce(27 + segments, { $0 + Int($1) }) {
            return true
        }
        return page[last + 5] & 4 == 0
    }

    private static func bytes(_ file: DiskFile, at offset: UInt64, count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = bytes.withUnsafeMutableBytes { (try? file.read(into: $0, at: offset)) ?? 0 }
        return Array(bytes.prefix(read))
    }
}

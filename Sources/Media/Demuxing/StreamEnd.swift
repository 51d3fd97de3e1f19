import MovieFile

/// Detects truncated files: a truncated file ends inside a packet or a page. Used for formats that consist of such
/// small units and have no header with the file's size.
enum StreamEnd {
    /// Returns true if a transport stream ends inside a packet. A packet has 188 bytes (ITU-T H.222.0, 2.4.3.2). With a
    /// time before it, as in Blu-ray and AVCHD, it has 192 bytes. With a check sum after it, it has 204 bytes.
    static func isInsideTransportPacket(_ file: DiskFile, size: UInt64) -> Bool {
        let head = file.bytes(at: 0, count: 4 * 204 + 1)
        let forms: [(length: Int, offset: Int)] = [(188, 0), (192, 4), (204, 0)]
        for (length, offset) in forms {
            let syncs = stride(from: offset, to: head.count, by: length)
            if head.count > offset + length, syncs.allSatisfy({ head[$0] == 0x47 }) {
                return size % UInt64(length) != 0
            }
        }
        return false
    }

    /// Returns true if the last page of an Ogg file lacks bytes, or is not marked as the last page of its stream (RFC
    /// 3533, 6).
    static func lacksOggPages(_ file: DiskFile, size: UInt64) -> Bool {
        // The longest page has 65,307 bytes.
        let start = size > 65_307 ? size - 65_307 : 0
        let tail = file.bytes(at: start, count: Int(size - start))
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
}

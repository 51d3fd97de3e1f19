import MovieFile

/// The end of a file's media that the start of the file states, for containers without an index.
enum StatedSize {
    /// Returns the least number of bytes that a complete file has; nil if its header does not state that.
    static func end(_ file: DiskFile, container: String) -> UInt64? {
        switch container {
        case "aiff": form(file)
        case "au": audio(file)
        case "asf": packets(file)?.end
        case "mxf": footer(file)
        default: nil
        }
    }

    /// Reads the length of an AIFF file (Audio Interchange File Format 1.3, "File Structure").
    private static func form(_ file: DiskFile) -> UInt64? {
        var reader = ByteReader(file.bytes(at: 0, count: 8))
        guard reader.code() == "FORM", let size = reader.u32().map(UInt64.init), !AudioLength.isPlaceholder(size) else {
            return nil
        }
        // in range: a 32-bit number and eight
        return size + 8
    }

    /// Reads the start and the length of the audio in an AU file.
    private static func audio(_ file: DiskFile) -> UInt64? {
        var reader = ByteReader(file.bytes(at: 0, count: 12))
        guard reader.code() == ".snd", let start = reader.u32(), let size = reader.u32().map(UInt64.init),
            !AudioLength.isPlaceholder(size)
        else { return nil }
        // in range: two 32-bit numbers
        return UInt64(start) + size
    }

    /// Reads the position of the footer from the header partition of an MXF file (SMPTE ST 377-1, 7.1). The position is
    /// 0 while the file is being written.
    private static func footer(_ file: DiskFile) -> UInt64? {
        let head = file.bytes(at: 0, count: 64)
        guard head.count == 64, head.starts(with: [0x06, 0x0E, 0x2B, 0x34, 0x02, 0x05, 0x01, 0x01]) else { return nil }
        let length = head[16] < 0x80 ? 0 : Int(head[16] & 0x7F)
        guard length <= 8 else { return nil }
        // Two version numbers, the size of the grid, and the positions of this and the previous partition.
        var reader = ByteReader(head[(17 + length)...])
        guard reader.skip(24), let footer = reader.u64(), footer > 0, footer < 1 << 60 else { return nil }
        // in range: less than 1 << 60, as checked above
        return footer + 17
    }

    /// Reads the size and the places of the packets of an ASF file (ASF Specification, 3.1, 3.2 and 5.1). Returns nil
    /// for a broadcast, whose sizes are not valid.
    static func packets(_ file: DiskFile) -> (start: UInt64, end: UInt64, size: UInt64)? {
        let top = file.bytes(at: 0, count: 24)
        guard top.count == 24, top.starts(with: [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11]) else { return nil }
        let data = little(top[16..<24])
        var size: UInt64?
        var place: UInt64 = 30
        for _ in 0..<mostObjects where place < data && size == nil {
            let object = file.bytes(at: place, count: 104)
            guard object.count >= 24 else { return nil }
            if object.starts(with: [0xA1, 0xDC, 0xAB, 0x8C, 0x47, 0xA9, 0xCF, 0x11]), object.count >= 100 {
                let isBroadcast = object[88] & 1 != 0
                let (least, most) = (little(object[92..<96]), little(object[96..<100]))
                guard !isBroadcast, least == most, least > 0 else { return nil }
                size = least
            }
            let (next, overflow) = place.addingReportingOverflow(max(24, little(object[16..<24])))
            guard !overflow else { return nil }
            place = next
        }
        let head = file.bytes(at: data, count: 50)
        guard let size, head.count == 50, head.starts(with: [0x36, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11]) else {
            return nil
        }
        let (start, count) = (data + 50, little(head[40..<48]))
        let (length, overflow) = count.multipliedReportingOverflow(by: size)
        guard !overflow, length > 0, length < 1 << 60, start < 1 << 60 else { return nil }
        return (start, start + length, size)
    }

    /// The maximum number of objects in an ASF header, more than any program writes.
    private static let mostObjects = 1000

    private static func little(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

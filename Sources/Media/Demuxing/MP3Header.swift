import MovieFile

/// Facts about a complete MP3 file, from its first frame.
enum MP3Header {
    /// Returns true if the first frame has a Xing, Info or VBRI header with the number of frames. Without such a
    /// header, libavformat calculates the duration from the bit rate of the first frame. The result is wrong if the
    /// rate varies.
    static func countsFrames(_ file: DiskFile) -> Bool {
        // ID3v2: ten bytes, with the length of the rest in four groups of seven bits (ID3v2.4.0, 3.1).
        let tag = file.bytes(at: 0, count: 10)
        var start: UInt64 = 0
        if tag.count == 10, tag.starts(with: Array("ID3".utf8)) {
            start = 10 + tag[6...9].reduce(0) { $0 << 7 | UInt64($1 & 0x7F) }
        }
        // Padding may follow; the longest frame has 1,441 bytes.
        let head = file.bytes(at: start, count: 16 << 10)
        guard let frame = head.indices.dropLast(3).first(where: { isFrame(head, at: $0) }) else { return false }
        let isMono = head[frame + 3] >> 6 == 3
        let isMPEG1 = head[frame + 1] >> 3 & 3 == 3
        // After the side information of layer III (ISO/IEC 11172-3, 2.4.1.7; 13818-3, 2.4.1.7).
        let xing = frame + 4 + (isMPEG1 ? (isMono ? 17 : 32) : (isMono ? 9 : 17))
        for name in ["Xing", "Info"] where has(name, head, at: xing) {
            // The lowest flag is set if a frame count follows.
            return head.count > xing + 7 && head[xing + 7] & 1 == 1
        }
        return has("VBRI", head, at: frame + 4 + 32)
    }

    /// Returns true for a frame header: eleven bits of ones, layer III, and no reserved value.
    private static func isFrame(_ head: [UInt8], at place: Int) -> Bool {
        head[place] == 0xFF && head[place + 1] & 0xE0 == 0xE0 && head[place + 1] >> 3 & 3 != 1
            && head[place + 1] >> 1 & 3 == 1 && head[place + 2] >> 4 != 15 && head[place + 2] >> 2 & 3 != 3
    }

    private static func has(_ name: String, _ head: [UInt8], at place: Int) -> Bool {
        place <= head.count && head[place...].starts(with: Array(name.utf8))
    }
}

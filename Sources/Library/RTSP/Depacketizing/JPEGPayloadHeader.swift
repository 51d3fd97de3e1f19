/// The headers before the JPEG data of a packet (RFC 2435, 3.1).
struct JPEGPayloadHeader: Sendable, Hashable {
    /// The position of the data in the frame.
    let offset: Int
    /// 0 for 4:2:2, 1 for 4:2:0.
    let type: UInt8
    let quality: UInt8
    /// The frame size in pixels; 0 if it is larger than 2040.
    let width: Int
    let height: Int
    /// The number of blocks between restart markers; 0 without them.
    let restartInterval: UInt16
    /// The quantization tables; nil if the packet has none; empty if earlier tables of the same quality apply.
    let tables: [[UInt8]]?
    let data: ArraySlice<UInt8>

    /// Parses the headers of a payload. Returns nil if the payload is too short for them.
    init?(_ payload: ArraySlice<UInt8>) {
        let bytes = Array(payload.prefix(12 + 4 + 512))
        guard bytes.count >= 8 else { return nil }
        offset = Int(bytes.bigEndian32(at: 0) & 0xFF_FFFF)
        let kind = bytes[4]
        type = kind & 0x3F
        quality = bytes[5]
        (width, height) = (Int(bytes[6]) * 8, Int(bytes[7]) * 8)
        var start = 8
        // Types from 64 have restart markers.
        if kind & 0x40 != 0 {
            guard bytes.count >= start + 4 else { return nil }
            restartInterval = bytes.bigEndian16(at: start)
            start += 4
        } else {
            restartInterval = 0
        }
        guard quality >= 128, offset == 0 else {
            tables = nil
            data = payload.dropFirst(start)
            return
        }
        guard bytes.count >= start + 4 else { return nil }
        let (precision, count) = (bytes[start + 1], Int(bytes.bigEndian16(at: start + 2)))
        start += 4
        guard bytes.count >= start + count else { return nil }
        var (tables, end): ([[UInt8]], Int) = ([], start + count)
        for index in 0..<4 {
            // A bit for each table: 16 bits for each value instead of 8.
            let size = precision >> UInt8(index) & 1 == 1 ? 128 : 64
            guard start + size <= end else { break }
            tables.append(Array(bytes[start..<(start + size)]))
            start += size
        }
        self.tables = tables
        end = max(end, start)
        data = payload.dropFirst(end)
    }
}

import CFFmpeg
import MediaTypes
import MovieFile

/// Follows the pages of an Ogg file up to the latest packet, and finds damaged and missing pages (RFC 3533, 6).
/// libavformat skips such pages without an error.
///
/// Reads the file a second time, shortly after libavformat, and keeps one page in memory. Used by one thread at a time.
struct OggPages: ContainerWatch {
    private let file: DiskFile
    /// The position of the next page; nil after a jump, until a packet determines it.
    private var offset: UInt64? = 0
    /// The index of each stream, by serial number. Streams are counted in the order in which they begin, as libavformat
    /// counts them.
    private var streams: [UInt32: Int] = [:]
    /// The number of each stream's latest page.
    private var numbers: [UInt32: UInt32] = [:]
    private var page = [UInt8](repeating: 0, count: Self.longestPage)

    /// A header of 27 bytes, 255 lengths, and 255 segments of 255 bytes.
    private static let longestPage = 27 + 255 + 255 * 255
    private static let headLength = 27
    /// The number of bytes that a search reads first.
    private static let shortestSearch = 512

    /// Returns nil if the file cannot be read.
    init?(path: String) {
        guard let file = try? DiskFile(path: path, mode: .read) else { return nil }
        self.file = file
    }

    /// Prepares for reading at another position.
    mutating func jump() {
        offset = nil
        numbers = [:]
    }

    /// Returns the first fault of these streams. The check covers the bytes since the last call, up to the page at
    /// `position`, or up to the end of the file if `position` is nil.
    mutating func fault(upTo position: Int64?, of streams: Set<Int>) -> ContainerFault? {
        if let position, position < 0 { return nil }
        let limit = position.map { UInt64($0) } ?? .max
        var at = offset ?? limit
        guard at < .max else { return nil }
        var lost: UInt64?
        defer { offset = at }
        while at <= limit {
            guard let head = readHead(at: at) else {
                // No page begins here: bytes were overwritten, or the file has ended.
                lost = lost ?? at
                guard let next = nextPage(after: at) else {
                    let isEnd = count(at: at) == 0
                    at = .max
                    return isEnd ? nil : told(lost ?? at, "these bytes are not an Ogg page")
                }
                at = next
                continue
            }
            let start = at
            at += UInt64(head.length)
            if let fault = record(head, at: start, lost: lost), concerns(head.serial, streams) { return fault }
            lost = nil
        }
        return nil
    }

    private struct Head {
        var serial: UInt32
        var number: UInt32
        var begins: Bool
        var length: Int
        var isIntact: Bool
    }

    private mutating func record(_ head: Head, at position: UInt64, lost: UInt64?) -> ContainerFault? {
        if head.begins, streams[head.serial] == nil { streams[head.serial] = streams.count }
        let last = numbers.updateValue(head.number, forKey: head.serial)
        if !head.isIntact {
            return ContainerFault(
                position: Int64(clamping: position), reason: "the checksum of a page is wrong", isInPage: true)
        }
        if let last, head.number != last &+ 1, head.number != last {
            return told(lost ?? position, "pages are missing")
        }
        return nil
    }

    private func told(_ position: UInt64, _ reason: String) -> ContainerFault {
        ContainerFault(position: Int64(clamping: position), reason: reason)
    }

    /// Returns true if the stream may be one of `wanted`. An unknown stream may be any stream.
    private func concerns(_ serial: UInt32, _ wanted: Set<Int>) -> Bool {
        streams[serial].map(wanted.contains) ?? true
    }

    private mutating func count(at offset: UInt64, atMost most: Int = Self.longestPage) -> Int {
        page.withUnsafeMutableBytes {
            (try? file.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[..<min(most, $0.count)]), at: offset)) ?? 0
        }
    }

    /// Reads the page at an offset. Returns nil if there is no complete page.
    private mutating func readHead(at offset: UInt64) -> Head? {
        // Most pages are much shorter than the limit.
        let count = count(at: offset, atMost: Self.headLength + 255)
        guard count >= Self.headLength, page[0..<4].elementsEqual("OggS".utf8), page[4] == 0 else { return nil }
        let segments = Int(page[26])
        guard count >= Self.headLength + segments else { return nil }
        let length = page[27..<(27 + segments)].reduce(27 + segments) { $0 + Int($1) }
        guard length <= count || self.count(at: offset, atMost: length) >= length else { return nil }
        func number(_ place: Int) -> UInt32 {
            (0..<4).reduce(0) { $0 | UInt32(page[place + $1]) << UInt32(8 * $1) }
        }
        let stored = number(22)
        for place in 22..<26 { page[place] = 0 }
        return Head(
            serial: number(14), number: number(18), begins: page[5] & 2 != 0, length: length,
            isIntact: checksum(length) == stored)
    }

    /// Returns the check sum: polynomial 0x04C11DB7, initial value 0, highest bit first.
    private func checksum(_ count: Int) -> UInt32 {
        // libavutil returns the check sum with its bytes swapped.
        UInt32(littleEndian: av_crc(av_crc_get_table(AV_CRC_32_IEEE), 0, page, count)).byteSwapped
    }

    /// Returns the start of the next page. Reads only a little at first, because in a crafted file every few bytes may
    /// look like a page.
    private mutating func nextPage(after offset: UInt64) -> UInt64? {
        var (start, most) = (offset + 1, Self.shortestSearch)
        while true {
            let count = count(at: start, atMost: most)
            most = min(2 * most, Self.longestPage)
            guard count >= 4 else { return nil }
            let found = page[..<count].withUnsafeBytes { bytes in
                (0...(count - 4)).first { bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self) == Self.capture }
            }
            if let found { return start + UInt64(found) }
            start += UInt64(count - 3)
        }
    }

    /// "OggS", in memory order.
    private static let capture = UInt32(littleEndian: 0x5367_674F)
}

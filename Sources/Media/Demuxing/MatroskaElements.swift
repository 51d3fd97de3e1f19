import MovieFile

/// Follows the elements of a Matroska file up to the latest packet, and finds bytes that are not elements (RFC 8794,
/// RFC 9559). libavformat skips such bytes without an error and continues at the next cluster.
///
/// Reads the headers of elements a second time, but not the contents of blocks. Overwritten contents are noticed only
/// if the header of the next element is damaged too.
struct MatroskaElements: ContainerWatch {
    private struct Head {
        var id: UInt32
        /// The start of the content.
        var content: UInt64
        /// The end of the element; nil if its length is unknown, as in live streams. An element of unknown length ends
        /// before the first element that cannot be inside it.
        var end: UInt64?
    }

    private let file: DiskFile
    /// The position of the next element.
    private var offset: UInt64 = 0
    private var hasJumped = false
    /// The end of the current cluster; nil outside of a cluster, or if it has no length.
    private var clusterEnd: UInt64?
    /// The end of the current segment; nil if unknown.
    private var segmentEnd: UInt64?

    private static let segment: UInt32 = 0x1853_8067
    private static let cluster: UInt32 = 0x1F43_B675

    /// Returns nil if the file cannot be read.
    init?(path: String) {
        guard let file = try? DiskFile(path: path, mode: .read) else { return nil }
        self.file = file
    }

    mutating func jump() { hasJumped = true }

    /// Returns the first fault up to a packet; if `position` is nil, up to the end of the file. The position of a
    /// packet is inside its block, so every element that begins before that position is checked.
    mutating func fault(upTo position: Int64?, of streams: Set<Int>) -> ContainerFault? {
        if let position, position < 0 { return nil }
        let size = (try? file.size()) ?? 0
        let limit = min(position.map { UInt64($0) } ?? .max, size)
        guard hasJumped else { return scan(upTo: limit, size) }
        // Damage before the target of the jump affects no packet.
        hasJumped = false
        (offset, clusterEnd) = (cluster(of: limit, size), nil)
        while scan(upTo: limit, size) != nil {}
        return nil
    }

    private mutating func scan(upTo limit: UInt64, _ size: UInt64) -> ContainerFault? {
        while offset < limit {
            guard let head = head(at: offset), fits(head, size) else {
                let place = offset
                let isCut = isCut(size)
                let next = nextCluster(after: offset, size)
                (offset, clusterEnd) = (next ?? size, nil)
                if next == nil, isCut || place >= segmentEnd ?? size { return nil }
                return ContainerFault(
                    position: Int64(clamping: place), reason: "these bytes are not a Matroska element")
            }
            switch head.id {
            case Self.segment: (offset, segmentEnd) = (head.content, head.end)
            case Self.cluster: (offset, clusterEnd) = (head.content, head.end)
            default: offset = head.end ?? head.content
            }
            if let end = clusterEnd, offset >= end { clusterEnd = nil }
        }
        return nil
    }

    /// Returns true if the file ends before the end of the element at `offset`. `FileExtent` reports this case, because
    /// the header announces the length.
    private func isCut(_ size: UInt64) -> Bool {
        guard let head = head(at: offset) else { return size - min(size, offset) < 12 }
        return head.end.map { $0 > size && $0 <= max(clusterEnd ?? 0, segmentEnd ?? .max) } ?? false
    }

    /// Returns the start of the cluster that contains a position. If clusters have no length, returns the start of the
    /// first cluster after the position.
    private func cluster(of position: UInt64, _ size: UInt64) -> UInt64 {
        var at: UInt64 = 0
        while at < position, let head = head(at: at) {
            if head.id == Self.segment {
                at = head.content
            } else if let end = head.end, end <= position {
                at = max(end, at + 1)
            } else if head.end != nil {
                return at
            } else {
                break
            }
        }
        return nextCluster(after: position, size) ?? size
    }

    /// Returns true if an element may be at this position. Only clusters and segments may have no length; all other
    /// elements must end within their cluster and the file.
    private func fits(_ head: Head, _ size: UInt64) -> Bool {
        guard let end = head.end else { return head.id == Self.segment || head.id == Self.cluster }
        // The end of the file may be missing.
        if head.id == Self.segment || head.id == Self.cluster && clusterEnd == nil { return true }
        return end <= (clusterEnd ?? size)
    }

    /// Reads the element header at an offset (RFC 8794, 5 and 6). Returns nil if there is no valid header.
    private func head(at offset: UInt64) -> Head? {
        withUnsafeTemporaryAllocation(byteCount: 12, alignment: 1) { bytes in
            Self.head(
                UnsafeRawBufferPointer(rebasing: bytes[..<((try? file.read(into: bytes, at: offset)) ?? 0)]), offset)
        }
    }

    private static func head(_ bytes: UnsafeRawBufferPointer, _ offset: UInt64) -> Head? {
        guard let first = bytes.first else { return nil }
        let idLength = first.leadingZeroBitCount + 1
        guard idLength <= 4, idLength < bytes.count else { return nil }
        let sizeLength = bytes[idLength].leadingZeroBitCount + 1
        guard sizeLength <= 8, idLength + sizeLength <= bytes.count else { return nil }
        let id = bytes[..<idLength].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        // All ones mean an unknown length.
        let unknown = UInt64.max >> UInt64(64 - 7 * sizeLength)
        let length = bytes[idLength..<(idLength + sizeLength)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & unknown
        let content = offset + UInt64(idLength + sizeLength)
        guard length != unknown else { return Head(id: id, content: content, end: nil) }
        let (end, isTooLong) = content.addingReportingOverflow(length)
        return isTooLong ? nil : Head(id: id, content: content, end: end)
    }

    /// Returns the start of the next cluster. Reads only a little at first, because in a crafted file every few bytes
    /// may look like a cluster.
    private func nextCluster(after offset: UInt64, _ size: UInt64) -> UInt64? {
        var part = [UInt8](repeating: 0, count: 512)
        var start = offset + 1
        while start < size {
            let count = part.withUnsafeMutableBytes { (try? file.read(into: $0, at: start)) ?? 0 }
            guard count >= 4 else { return nil }
            let found = part[..<count].withUnsafeBytes { bytes in
                (0...(count - 4)).first { bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self) == Self.mark }
            }
            if let found { return start + UInt64(found) }
            start += UInt64(count - 3)
            if part.count < 1 << 16 { part = [UInt8](repeating: 0, count: 2 * part.count) }
        }
        return nil
    }

    /// The ID of a cluster, in memory order.
    private static let mark = UInt32(bigEndian: cluster)
}

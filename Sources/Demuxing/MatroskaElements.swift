import MovieFile

/// Follows the elements of a Matroska file as far as its packets are read, and tells where something else stands (RFC 8794, RFC
/// 9559): libavformat goes on at the next cluster without a word.
///
/// Reads the heads of elements a second time, and nothing of what is in the blocks: what was overwritten there is noticed where
/// the head of the next one is gone.
struct MatroskaElements: ContainerWatch {
    private struct Head {
        var id: UInt32
        /// Where its content begins.
        var content: UInt64
        /// nil where it is not known, as in what was written live: it ends where something begins that cannot be in it.
        var end: UInt64?
    }

    private let file: DiskFile
    /// Where the next element is looked for.
    private var offset: UInt64 = 0
    private var hasJumped = false
    /// The end of the cluster that it is in; nil outside of one, or where that has no length.
    private var clusterEnd: UInt64?
    /// nil where it is not known.
    private var segmentEnd: UInt64?

    private static let segment: UInt32 = 0x1853_8067
    private static let cluster: UInt32 = 0x1F43_B675

    /// nil where the file cannot be read.
    init?(path: String) {
        guard let file = try? DiskFile(path: path, mode: .read) else { return nil }
        self.file = file
    }

    mutating func jump() { hasJumped = true }

    /// A packet's position is in its block: whatever ends before that is looked at.
    mutating func fault(upTo position: Int64?, of streams: Set<Int>) -> ContainerFault? {
        if let position, position < 0 { return nil }
        let size = (try? file.size()) ?? 0
        let limit = min(position.map { UInt64($0) } ?? .max, size)
        guard hasJumped else { return scan(upTo: limit, size) }
        // What comes before the place that was jumped to is nobody's.
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
                    position: Int64(clamping: place), reason: "what stands there is no element of Matroska")
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

    /// The end of the file comes before that of the element: the length that the header announces tells of it.
    private func isCut(_ size: UInt64) -> Bool {
        guard let head = head(at: offset) else { return size - min(size, offset) < 12 }
        return head.end.map { $0 > size && $0 <= max(clusterEnd ?? 0, segmentEnd ?? .max) } ?? false
    }

    /// Where the cluster begins that holds a place; the one behind that where clusters have no length.
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

    /// What has no length may be a cluster or a segment; all else ends in front of its cluster's and the file's end.
    private func fits(_ head: Head, _ size: UInt64) -> Bool {
        guard let end = head.end else { return head.id == Self.segment || head.id == Self.cluster }
        // The end of the file may be missing.
        if head.id == Self.segment || head.id == Self.cluster && clusterEnd == nil { return true }
        return end <= (clusterEnd ?? size)
    }

    /// nil where no head can stand (RFC 8794, 5 and 6).
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
        // All ones mean that nobody knew.
        let unknown = UInt64.max >> UInt64(64 - 7 * sizeLength)
        let length = bytes[idLength..<(idLength + sizeLength)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & unknown
        let content = offset + UInt64(idLength + sizeLength)
        guard length != unknown else { return Head(id: id, content: content, end: nil) }
        let (end, isTooLong) = content.addingReportingOverflow(length)
        return isTooLong ? nil : Head(id: id, content: content, end: end)
    }

    private func nextCluster(after offset: UInt64, _ size: UInt64) -> UInt64? {
        var part = [UInt8](repeating: 0, count: 1 << 16)
        var start = offset + 1
        while start < size {
            let count = part.withUnsafeMutableBytes { (try? file.read(into: $0, at: start)) ?? 0 }
            guard count >= 4 else { return nil }
            let found = part[..<count].withUnsafeBytes { bytes in
                (0...(count - 4)).first { bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self) == Self.mark }
            }
            if let found { return start + UInt64(found) }
            start += UInt64(count - 3)
        }
        return nil
    }

    /// A cluster's ID as it lies in memory.
    private static let mark = UInt32(bigEndian: cluster)
}

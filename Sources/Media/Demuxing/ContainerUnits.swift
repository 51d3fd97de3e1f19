import MovieFile

/// Follows the units of an FLV, ASF, MXF or IVF file up to the latest packet, and finds bytes that are no units.
/// libavformat skips such bytes without an error.
///
/// Reads only the headers of units. Overwritten contents are noticed only if the header of the next unit is damaged too.
struct ContainerUnits: ContainerWatch {
    /// The kind of units of which a container consists.
    enum Form: Equatable {
        /// A tag, with its size before and after it (Adobe Flash Video File Format Specification 10.1, E.3 and E.4).
        case tag
        /// A packet of `size` bytes that begins with error correction data (ASF Specification, 5.2).
        case packet(size: UInt64, end: UInt64)
        /// A key, a length and a value (SMPTE ST 377-1, 6.3).
        case triplet
        /// A frame with its size before it.
        case frame

        fileprivate var name: String {
            switch self {
            case .tag: "FLV tag"
            case .packet: "ASF packet"
            case .triplet: "MXF element"
            case .frame: "IVF frame"
            }
        }
    }

    private enum Unit {
        case end(UInt64)
        /// The file ends inside the unit.
        case cut
    }

    private let file: DiskFile
    private let form: Form
    /// The position of the next unit.
    private var offset: UInt64
    private var hasJumped = false
    /// The number of possible units that a search may still read. In a crafted file every byte may look like a unit.
    private var patience = 1 << 18

    private static let window = 1 << 16
    /// Bytes that are enough for the header of any unit.
    private static let headSize = 25
    /// An FLV file without this many correct tags at its start is from a program that writes other sizes.
    private static let fewestTags = 3
    private static let key: [UInt8] = [0x06, 0x0E, 0x2B, 0x34]

    /// Returns nil for other containers, for a file that cannot be read, and for one whose units cannot be followed.
    init?(path: String, container: String) {
        guard let file = try? DiskFile(path: path, mode: .read) else { return nil }
        self.file = file
        switch container {
        case "flv":
            let head = file.bytes(at: 0, count: 9)
            guard head.count == 9, head.starts(with: Array("FLV".utf8)) else { return nil }
            (form, offset) = (.tag, Self.number(head[5...]) + 4)
            var place = offset
            for _ in 0..<Self.fewestTags {
                guard case .end(let end)? = unit(at: place, .max) else { return nil }
                place = end
            }
        case "asf":
            guard let packets = StatedSize.packets(file) else { return nil }
            (form, offset) = (.packet(size: packets.size, end: packets.end), packets.start)
            guard file.bytes(at: offset, count: 1) == [Self.errorCorrection] else { return nil }
        case "mxf":
            // Other data may precede the first key.
            let head = file.bytes(at: 0, count: Self.window)
            guard let start = head.indices.first(where: { head[$0...].starts(with: Self.key) }) else { return nil }
            (form, offset) = (.triplet, UInt64(start))
        case "ivf":
            let head = file.bytes(at: 0, count: 8)
            guard head.count == 8, head.starts(with: Array("DKIF".utf8)) else { return nil }
            (form, offset) = (.frame, UInt64(head[6]) | UInt64(head[7]) << 8)
        default: return nil
        }
    }

    mutating func jump() { hasJumped = true }

    mutating func fault(upTo position: Int64?, of streams: Set<Int>) -> ContainerFault? {
        if let position, position < 0 { return nil }
        let size = (try? file.size()) ?? 0
        let limit = min(position.map { UInt64($0) } ?? .max, size)
        if hasJumped {
            // The frames of IVF have no mark, so they are followed from the start; each header is read only once.
            hasJumped = false
            if form != .frame { offset = next(from: limit, size) ?? size }
            return nil
        }
        while offset < limit {
            switch unit(at: offset, size) {
            case .end(let end): offset = end
            case .cut:
                let place = offset
                offset = size
                return ContainerFault(
                    position: Int64(clamping: place), reason: "the file ends inside this \(form.name)")
            case nil:
                let place = offset
                offset = next(from: offset + 1, size) ?? size
                return ContainerFault(position: Int64(clamping: place), reason: "these bytes are no \(form.name)")
            }
        }
        return nil
    }

    /// Returns the unit at an offset; nil if none begins there.
    private func unit(at offset: UInt64, _ size: UInt64) -> Unit? {
        let head = file.bytes(at: offset, count: Self.headSize)
        switch form {
        case .tag:
            guard head.count >= 11 else { return .cut }
            let length = 11 + Self.number(head[1...3])
            if offset + length > size { return Self.isTag(head) ? .cut : nil }
            let tail = file.bytes(at: offset + length, count: 4)
            // Some programs leave out the last size.
            guard !tail.isEmpty else { return .end(offset + length) }
            guard tail.count == 4 else { return .cut }
            return Self.number(tail[...]) == length ? .end(offset + length + 4) : nil
        case .packet(let length, let end):
            if offset >= end { return .end(size) }
            return head.first == Self.errorCorrection ? .end(offset + length) : nil
        case .triplet:
            guard head.count >= 17 else { return Self.key.starts(with: head.prefix(4)) ? .cut : nil }
            guard head.starts(with: Self.key) else { return nil }
            let count = head[16] < 0x80 ? 0 : Int(head[16] & 0x7F)
            guard head[16] != 0x80, count <= 8 else { return nil }
            guard head.count >= 17 + count else { return .cut }
            let length = count == 0 ? UInt64(head[16]) : Self.number(head[17..<(17 + count)])
            let (end, overflow) = (offset + UInt64(17 + count)).addingReportingOverflow(length)
            return overflow || end > size ? .cut : .end(end)
        case .frame:
            guard head.count >= 12 else { return .cut }
            let length = Self.number(ArraySlice(head[0...3].reversed()))
            guard length > 0 else { return nil }
            return offset + 12 + length > size ? .cut : .end(offset + 12 + length)
        }
    }

    /// Returns the start of the first unit at or after an offset; nil if there is none.
    private mutating func next(from start: UInt64, _ size: UInt64) -> UInt64? {
        if case .packet(let length, _) = form {
            // The packets keep their places, unless bytes are missing.
            let known = (offset % length + length - start % length) % length
            var place = start + known
            while place < size, patience > 0 {
                patience -= 1
                if case .end? = unit(at: place, size) { return place }
                place += length
            }
            return nil
        }
        guard form != .frame else { return nil }
        var place = start
        while place < size {
            let bytes = file.bytes(at: place, count: Self.window)
            guard bytes.count >= Self.headSize else { return nil }
            for index in 0...(bytes.count - Self.headSize) {
                let isLikely: Bool
                if form == .tag {
                    isLikely = Self.isTag(bytes[index..<(index + 11)])
                } else {
                    isLikely = bytes[index] == Self.key[0] && bytes[index...].starts(with: Self.key)
                }
                guard isLikely else { continue }
                patience -= 1
                guard patience > 0 else { return nil }
                if case .end? = unit(at: place + UInt64(index), size) { return place + UInt64(index) }
            }
            place += UInt64(bytes.count - Self.headSize + 1)
        }
        return nil
    }

    /// Returns true for a tag of audio, video or script data of stream 0.
    private static func isTag(_ head: some RandomAccessCollection<UInt8>) -> Bool {
        let head = Array(head.prefix(11))
        return head.count == 11 && [8, 9, 18].contains(head[0] & 0x1F) && head[8...10].allSatisfy { $0 == 0 }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    /// Error correction data of two bytes.
    private static let errorCorrection: UInt8 = 0x82
}

import MovieFile

/// Distinguishes damaged packets of a transport stream from those before a join.
///
/// Every packet of 188 bytes has the next counter value in its stream. Where segments are joined, the counters restart.
/// libavformat then marks the last, complete packet of a segment as damaged, or the one before it: a parser returns a
/// frame only when it sees the next one. A join differs from a loss because the tables of the program, at the start of
/// each segment, restart as well.
///
/// Used by one thread at a time.
final class TransportJoins {
    private let file: DiskFile
    private let size: UInt64
    /// The distance between packets, and the offset of the packet within it (Blu-ray puts a time before each packet).
    private let length: UInt64
    private let offset: UInt64
    /// The part of the file that was read last.
    private var block: (start: UInt64, bytes: [UInt8]) = (0, [])

    private static let blockLength: UInt64 = 64 << 10
    /// The maximum length of a PES packet, more than the largest frame. Longer ones are not checked.
    private static let mostPackets: UInt64 = 1 << 16
    /// The maximum distance between two repetitions of a table, in packets: ten repetitions a second at 60 Mbit/s.
    private static let farthestTable: UInt64 = 1 << 12
    /// The tables: PAT, CAT, TSDT, and those of DVB up to the SDT and related ones (ITU-T H.222.0, table 2-3; EN 300
    /// 468, table 1).
    private static let tables = 0...0x1F

    /// nil if the file cannot be read, or is not a sequence of packets.
    init?(path: String) {
        guard let file = try? DiskFile(path: path, mode: .read), let size = try? file.size() else { return nil }
        (self.file, self.size) = (file, size)
        let head = Self.bytes(file, at: 0, count: 4 * 204 + 5)
        let forms: [(length: Int, offset: Int)] = [(188, 0), (192, 4), (204, 0)]
        for form in forms
        where head.count > form.offset + form.length
            && stride(from: form.offset, to: head.count, by: form.length).allSatisfy({ head[$0] == 0x47 })
        {
            (length, offset) = (UInt64(form.length), UInt64(form.offset))
            return
        }
        return nil
    }

    private struct Packet {
        var stream: Int
        var counter: UInt8
        var begins: Bool
        /// True if the receiver detected an error, or the packet is encrypted.
        var isBad: Bool
        var hasPayload: Bool
        var payload: ArraySlice<UInt8>
    }

    /// The successor of a complete PES packet.
    private enum Successor {
        case endOfFile
        /// The next PES packet of the stream; `isJoin` if another segment begins before it.
        case packet(UInt64, isJoin: Bool)
    }

    /// Returns true if a marked frame is complete, and is marked only because another segment was joined.
    ///
    /// The damage may be in the next PES packet of the stream, so that one must be complete as well.
    ///
    /// - Parameters:
    ///   - position: the position of the first packet, from libavformat.
    ///   - stream: its number in the transport stream (PID).
    func isWhole(at position: Int64, stream: Int) -> Bool {
        switch successor(of: UInt64(max(0, position)) / length, stream: stream) {
        case nil: false
        case .endOfFile: true
        case .packet(let next, let isJoin):
            switch successor(of: next, stream: stream) {
            case nil: false
            case .endOfFile: isJoin
            case .packet(_, let isNextJoin): isJoin || isNextJoin
            }
        }
    }

    /// Reads a PES packet up to the next one; returns nil if a part of it is missing.
    private func successor(of first: UInt64, stream: Int) -> Successor? {
        guard let start = packet(first), start.stream == stream, start.begins, start.hasPayload else { return nil }
        var counter = start.counter
        // PES_packet_length; 0 for video of any length (ITU-T H.222.0, 2.4.3.7).
        let head = Array(start.payload.prefix(6))
        guard head.count == 6, head.starts(with: [0, 0, 1]), !start.isBad else { return nil }
        let announced = Int(head[4]) << 8 | Int(head[5])
        var count = start.payload.count - 6
        var tables: [(stream: Int, counter: UInt8, number: UInt64)] = []
        for number in (first + 1)..<(first + Self.mostPackets) {
            guard let next = packet(number) else { return announced == 0 || count >= announced ? .endOfFile : nil }
            if Self.tables.contains(next.stream), next.hasPayload {
                tables.append((next.stream, next.counter, number))
            }
            guard next.stream == stream, next.hasPayload else { continue }
            let follows = (counter + 1) & 15 == next.counter
            if next.begins {
                guard announced == 0 || count >= announced else { return nil }
                let isJoin = tables.contains { restarts($0.stream, $0.counter, at: $0.number) }
                return follows || isJoin ? .packet(number, isJoin: isJoin) : nil
            }
            // A packet may be repeated once.
            guard follows || counter == next.counter, !next.isBad else { return nil }
            if follows { count += next.payload.count }
            counter = next.counter
        }
        return nil
    }

    /// Returns true if the counter of a table does not follow that of the table before it.
    private func restarts(_ stream: Int, _ counter: UInt8, at number: UInt64) -> Bool {
        let last = number > Self.farthestTable ? number - Self.farthestTable : 0
        for place in (last..<number).reversed() {
            guard let packet = packet(place) else { return false }
            if packet.stream == stream, packet.hasPayload { return (packet.counter + 1) & 15 != counter }
        }
        return false
    }

    private func packet(_ number: UInt64) -> Packet? {
        let place = number * length + offset
        guard place + 188 <= size else { return nil }
        if place < block.start || place + 188 > block.start + UInt64(block.bytes.count) {
            // Packets are requested in both directions.
            let start = place > Self.blockLength / 2 ? place - Self.blockLength / 2 : 0
            block = (start, Self.bytes(file, at: start, count: Int(Self.blockLength)))
        }
        let begin = Int(place - block.start)
        guard begin + 188 <= block.bytes.count, block.bytes[begin] == 0x47 else { return nil }
        let bytes = Array(block.bytes[begin..<(begin + 188)])
        let control = bytes[3] >> 4 & 3
        let start = 4 + (control & 2 != 0 ? 1 + Int(bytes[4]) : 0)
        return Packet(
            stream: Int(bytes[1] & 0x1F) << 8 | Int(bytes[2]), counter: bytes[3] & 15, begins: bytes[1] & 0x40 != 0,
            isBad: bytes[1] & 0x80 != 0 || bytes[3] & 0xC0 != 0, hasPayload: control & 1 != 0 && start < 188,
            payload: bytes[min(188, start)...])
    }

    private static func bytes(_ file: DiskFile, at offset: UInt64, count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = bytes.withUnsafeMutableBytes { (try? file.read(into: $0, at: offset)) ?? 0 }
        return Array(bytes.prefix(read))
    }
}

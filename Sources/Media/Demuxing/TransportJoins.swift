import MovieFile

/// Distinguishes damaged packets of a transport stream from complete packets before a join.
///
/// Each packet of 188 bytes has a counter that is one higher than in the packet before it in its stream. Where segments
/// are joined, the counters restart. libavformat then marks the last packet of a segment as damaged although it is
/// complete. It may also mark the packet before that one, because a parser returns a frame only when it sees the next
/// frame. A join differs from a loss: the counters of the program's tables, at the start of each segment, restart as
/// well. Without tables, nothing shows whether media is missing between two frames, but each frame may still be
/// complete.
///
/// Used by one thread at a time.
final class TransportJoins {
    private let file: DiskFile
    private let size: UInt64
    /// The distance between packets, in bytes. `offset` is the position of a packet within that distance, because
    /// Blu-ray puts a time before each packet.
    private let length: UInt64
    private let offset: UInt64
    /// The part of the file that was read last.
    private var block: (start: UInt64, bytes: [UInt8]) = (0, [])

    private static let blockLength: UInt64 = 64 << 10
    /// The maximum length of a PES packet in packets of the transport stream: 12 MB, more than the largest frame.
    /// Longer PES packets are not checked.
    private static let mostPackets: UInt64 = 1 << 16
    /// The maximum distance between two repetitions of a table, in packets: ten repetitions a second at 60 Mbit/s.
    private static let farthestTable: UInt64 = 1 << 12
    /// The tables: PAT, CAT, TSDT, and those of DVB up to the SDT and related ones (ITU-T H.222.0, table 2-3; EN 300
    /// 468, table 1).
    private static let tables = 0...0x1F

    /// Opens a transport stream. Returns nil if the file cannot be read, or does not consist of packets.
    init?(path: String) {
        guard let file = try? DiskFile(path: path, mode: .read), let size = try? file.size() else { return nil }
        (self.file, self.size) = (file, size)
        let head = file.bytes(at: 0, count: 4 * 204 + 5)
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
        /// True if stuffing bytes fill the packet, as in the last packet of a PES packet.
        var isPadded: Bool
        var payload: ArraySlice<UInt8>
    }

    enum Verdict: Equatable {
        case damaged
        /// The frame is complete, and nothing is missing after it.
        case whole
        /// The frame is complete. Media may be missing before the frame at this position.
        case wholeBeforeGap(position: Int64)
    }

    /// The successor of a complete PES packet.
    private enum Successor {
        case endOfFile
        /// The number of the first packet of the next PES packet. `isJoin` is true if another segment begins before it.
        /// `isGap` is true if the counter jumps there without a new segment.
        case packet(UInt64, isJoin: Bool, isGap: Bool)
    }

    /// Judges a frame that is marked as damaged.
    ///
    /// The damage may be in the next PES packet of the stream, so the next PES packet must be complete as well.
    ///
    /// - Parameters:
    ///   - position: the position of the frame's first packet, from libavformat.
    ///   - stream: the number of the frame's stream in the transport stream (PID).
    func verdict(at position: Int64, stream: Int) -> Verdict {
        let first = UInt64(max(0, position)) / length
        switch successor(of: first, stream: stream) {
        case nil: return .damaged
        case .endOfFile: return .whole
        case .packet(let next, let isJoin, let isGap):
            switch successor(of: next, stream: stream) {
            case nil: return .damaged
            case _ where isGap: return beginsAlike(first, next) ? gap(at: next) : .damaged
            case .endOfFile: return isJoin ? .whole : .damaged
            case .packet(let last, isJoin: _, isGap: true): return beginsAlike(next, last) ? gap(at: last) : .damaged
            case .packet(_, isJoin: let isNextJoin, isGap: _): return isJoin || isNextJoin ? .whole : .damaged
            }
        }
    }

    private func gap(at number: UInt64) -> Verdict { .wholeBeforeGap(position: Int64(clamping: number * length)) }

    /// Returns true if the contents of two PES packets begin with the same bits: a start code, or the sync word of an
    /// audio frame. Otherwise the second PES packet may contain the end of an earlier frame, and packets between the
    /// two are missing.
    private func beginsAlike(_ one: UInt64, _ other: UInt64) -> Bool {
        guard let first = mark(of: one), let second = mark(of: other) else { return false }
        return first == second
    }

    /// Returns the first 11 bits after the header of a PES packet (ITU-T H.222.0, 2.4.3.7), because the sync word of
    /// LATM audio has 11 bits.
    private func mark(of number: UInt64) -> Int? {
        guard let payload = packet(number).map({ Array($0.payload) }), payload.count > 8 else { return nil }
        let start = 9 + Int(payload[8])
        guard payload.count >= start + 2 else { return nil }
        return Int(payload[start]) << 3 | Int(payload[start + 1] >> 5)
    }

    /// Reads a PES packet, and returns its successor; nil if a part of the PES packet is missing.
    private func successor(of first: UInt64, stream: Int) -> Successor? {
        guard let start = packet(first), start.stream == stream, start.begins, start.hasPayload else { return nil }
        var (counter, isPadded) = (start.counter, start.isPadded)
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
                let isGap = !follows && !isJoin
                // The missing bytes may contain the end of a frame.
                guard !isGap || announced > 0 || isPadded else { return nil }
                return .packet(number, isJoin: isJoin, isGap: isGap)
            }
            // A packet may be repeated once.
            guard follows || counter == next.counter, !next.isBad else { return nil }
            if follows { count += next.payload.count }
            (counter, isPadded) = (next.counter, next.isPadded)
        }
        return nil
    }

    /// Returns true if the counter of a table's packet does not follow the counter of the packet before it in its
    /// stream.
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
            block = (start, file.bytes(at: start, count: Int(Self.blockLength)))
        }
        let begin = Int(place - block.start)
        guard begin + 188 <= block.bytes.count, block.bytes[begin] == 0x47 else { return nil }
        let bytes = Array(block.bytes[begin..<(begin + 188)])
        let control = bytes[3] >> 4 & 3
        let start = 4 + (control & 2 != 0 ? 1 + Int(bytes[4]) : 0)
        return Packet(
            stream: Int(bytes[1] & 0x1F) << 8 | Int(bytes[2]), counter: bytes[3] & 15, begins: bytes[1] & 0x40 != 0,
            isBad: bytes[1] & 0x80 != 0 || bytes[3] & 0xC0 != 0, hasPayload: control & 1 != 0 && start < 188,
            isPadded: control & 2 != 0 && Self.hasStuffing(bytes[4..<min(188, start)]),
            payload: bytes[min(188, start)...])
    }

    /// Returns true if an adaptation field is longer than its flags announce (ITU-T H.222.0, 2.4.3.4).
    private static func hasStuffing(_ field: ArraySlice<UInt8>) -> Bool {
        let bytes = Array(field)
        // A field of length 0 is a single stuffing byte.
        guard bytes.count > 1 else { return true }
        let flags = bytes[1]
        // PCR and OPCR have 6 bytes, the splice countdown 1.
        var used = 2 + (flags & 0x10 != 0 ? 6 : 0) + (flags & 0x08 != 0 ? 6 : 0) + (flags & 0x04 != 0 ? 1 : 0)
        // Private data and the extension state their lengths.
        for mask in [0x02, 0x01] as [UInt8] where flags & mask != 0 && used < bytes.count {
            used += 1 + Int(bytes[used])
        }
        return used < bytes.count
    }
}

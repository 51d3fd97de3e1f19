import FileSystem
import MediaTypes

/// Gathers bytes from memory and from other files into one write.
///
/// Used by one thread at a time.
final class GatheredBlock {
    /// A range of another file that goes into the block at `position`.
    private struct Part {
        var position: Int
        var place: StoredPlace
    }

    /// The size of the block. A larger one would no longer be in the processor's second-level cache when it is written:
    /// 256 KiB took half the time of 4 MiB.
    static let size = 256 << 10

    private var output: (any FragmentOutput)?
    /// Allocated at first use.
    private var memory: UnsafeMutableRawBufferPointer?
    private var parts: [Part] = []
    private var count = 0
    /// The start of the block in the output.
    private var start: UInt64 = 0

    deinit { memory?.deallocate() }

    /// The position of the next byte in the output.
    var position: UInt64 { start + UInt64(count) }

    func begin(_ output: any FragmentOutput, at offset: UInt64) {
        self.output = output
        start = offset
        count = 0
        parts.removeAll(keepingCapacity: true)
    }

    /// Skips bytes that the caller has written after the flushed ones.
    func skip(_ count: Int) { start += UInt64(count) }

    func add(_ bytes: ArraySlice<UInt8>) throws(MediaError) {
        var rest = bytes
        while !rest.isEmpty {
            let room = try room()
            let part = rest.prefix(room.count)
            part.withUnsafeBytes { room.copyMemory(from: $0) }
            count += part.count
            rest = rest.dropFirst(part.count)
        }
    }

    func add(_ place: StoredPlace) throws(MediaError) {
        var done = 0
        while done < place.count {
            let part = place[done..<(done + min(try room().count, place.count - done))]
            if let last = parts.last, last.position + last.place.count == count,
                let joined = last.place.joined(with: part)
            {
                parts[parts.count - 1].place = joined
            } else {
                parts.append(Part(position: count, place: part))
            }
            count += part.count
            done += part.count
        }
    }

    /// Returns the free part of the block, after writing the block if it was full.
    private func room() throws(MediaError) -> UnsafeMutableRawBufferPointer {
        if count == Self.size { try flush() }
        let memory = memory ?? .allocate(byteCount: Self.size, alignment: MemoryPage.byteCount)
        self.memory = memory
        return UnsafeMutableRawBufferPointer(rebasing: memory[count...])
    }

    /// Reads the missing parts and writes the block.
    func flush() throws(MediaError) {
        guard count > 0, let memory, let output else { return }
        try fill(memory)
        try output.write(UnsafeRawBufferPointer(rebasing: memory[..<count]), at: start)
        start += UInt64(count)
        count = 0
        parts.removeAll(keepingCapacity: true)
    }

    /// Reads nearby parts in one call, because the video and audio of a movie are interleaved.
    private func fill(_ memory: UnsafeMutableRawBufferPointer) throws(MediaError) {
        parts.sort { $0.place.offset < $1.place.offset }
        // If there are several files, they are read one after the other.
        var rest = parts[...]
        while let first = rest.first {
            var others: [Part] = []
            var batch = ScatteredRead(first.place)
            for part in rest {
                guard part.place.file.isSame(as: first.place.file) else {
                    others.append(part)
                    continue
                }
                if !batch.take(part.place, part.position) {
                    try batch.run(into: memory)
                    batch = ScatteredRead(part.place)
                    _ = batch.take(part.place, part.position)
                }
            }
            try batch.run(into: memory)
            rest = others[...]
        }
    }
}

/// Pieces of one file, with small gaps, that one call reads (preadv(2)).
private struct ScatteredRead {
    private let file: StoredFile
    private let start: UInt64
    private var end: UInt64
    /// The pieces; if `position` is nil, the bytes are discarded.
    private var parts: [(position: Int?, count: Int)] = []

    /// The largest gap between two pieces, in bytes, that is read and discarded to save a call. A call costs as much as
    /// reading a few pages.
    private static let largestGap: UInt64 = 8 << 10
    /// The limit of preadv (limits.h, IOV_MAX), less one for a preceding gap.
    private static let mostParts = 1023

    init(_ first: StoredPlace) {
        file = first.file
        start = first.offset
        end = first.offset
    }

    /// Adds a piece that begins no earlier than the previous one. Returns false if the gap before it is too large for
    /// one call.
    mutating func take(_ place: StoredPlace, _ position: Int) -> Bool {
        guard place.offset >= end, place.offset - end <= Self.largestGap, parts.count < Self.mostParts else {
            return false
        }
        let gap = Int(place.offset - end)
        if gap > 0 { parts.append((nil, gap)) }
        parts.append((position, place.count))
        end = place.offset + UInt64(place.count)
        return true
    }

    func run(into bytes: UnsafeMutableRawBufferPointer) throws(MediaError) {
        let scrap = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(Self.largestGap), alignment: 16)
        defer { scrap.deallocate() }
        let targets = parts.map { part in
            let memory = part.position.map { bytes[$0...] } ?? scrap[...]
            return UnsafeMutableRawBufferPointer(rebasing: memory.prefix(part.count))
        }
        try file.read(into: targets, at: start)
    }
}

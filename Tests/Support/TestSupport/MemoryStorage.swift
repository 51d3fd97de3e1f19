import Glibc
package import MediaTypes
package import MovieFile

/// A file in memory that records its writes, and fails on request.
package final class MemoryStorage: MovieStorage {
    package var bytes: [UInt8]
    /// The offset and byte count of every write.
    package private(set) var writes: [(offset: UInt64, count: Int)] = []
    /// The number of bytes that were synced.
    package private(set) var syncedCount = 0
    package private(set) var syncCount = 0
    /// The write, from 1, that fails with `failure` after half of its bytes; nil for none.
    package var failingWrite: Int?
    package var failure = MediaError(errno: ENOSPC, "cannot write the test's file")

    package init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    package func write(_ source: UnsafeRawBufferPointer, at offset: UInt64) throws(MediaError) {
        writes.append((offset, source.count))
        let fails = failingWrite == writes.count
        let part = fails ? UnsafeRawBufferPointer(rebasing: source[..<(source.count / 2)]) : source
        let end = Int(offset) + part.count
        if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
        bytes.replaceSubrange(Int(offset)..<end, with: part)
        if fails { throw failure }
    }

    package func read(into target: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(MediaError) -> Int {
        guard offset < UInt64(bytes.count) else { return 0 }
        let count = min(target.count, bytes.count - Int(offset))
        target.copyBytes(from: bytes[Int(offset)..<(Int(offset) + count)])
        return count
    }

    package func size() throws(MediaError) -> UInt64 { UInt64(bytes.count) }
    package func truncate(to size: UInt64) throws(MediaError) { bytes.removeLast(max(0, bytes.count - Int(size))) }
    package func synchronize() throws(MediaError) {
        syncCount += 1
        syncedCount = bytes.count
    }
}

/// A sparse file of any size: pieces of bytes with zeros between them.
package final class SparseStorage: MovieStorage {
    private var pieces: [(offset: UInt64, bytes: [UInt8])] = []
    private var length: UInt64 = 0

    package init() {}

    package func write(_ source: UnsafeRawBufferPointer, at offset: UInt64) throws(MediaError) {
        pieces.append((offset, Array(source)))
        length = max(length, offset + UInt64(source.count))
    }

    package func read(into target: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(MediaError) -> Int {
        guard offset < length else { return 0 }
        let count = Int(min(UInt64(target.count), length - offset))
        _ = target.initializeMemory(as: UInt8.self, repeating: 0)
        for piece in pieces {
            let first = max(offset, piece.offset)
            let last = min(offset + UInt64(count), piece.offset + UInt64(piece.bytes.count))
            guard first < last else { continue }
            UnsafeMutableRawBufferPointer(rebasing: target[Int(first - offset)..<Int(last - offset)])
                .copyBytes(from: piece.bytes[Int(first - piece.offset)..<Int(last - piece.offset)])
        }
        return count
    }

    package func nextData(from offset: UInt64) throws(MediaError) -> UInt64 {
        let behind = pieces.filter { $0.offset + UInt64($0.bytes.count) > offset }.map { max(offset, $0.offset) }
        return min(behind.min() ?? length, length)
    }

    package func size() throws(MediaError) -> UInt64 { length }
    package func truncate(to size: UInt64) throws(MediaError) { length = size }
    package func synchronize() throws(MediaError) {}

    /// Writes the file to disk, with its holes.
    package func copy(to file: DiskFile) throws(MediaError) {
        for piece in pieces { try file.write(piece.bytes, at: piece.offset) }
        try file.truncate(to: length)
    }
}

package import MediaTypes
import MovieFile

/// A file in memory, made of the fuzzer's bytes.
package final class FuzzStorage: MovieStorage {
    package private(set) var bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package func write(_ source: UnsafeRawBufferPointer, at offset: UInt64) throws(MediaError) {
        // A finisher misled into writing far past the end would fill a disk.
        precondition(offset <= UInt64(bytes.count) + 1 << 20, "a write far beyond the end of the file")
        let end = Int(offset) + source.count
        if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
        bytes.replaceSubrange(Int(offset)..<end, with: source)
    }

    package func read(into target: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(MediaError) -> Int {
        guard offset < UInt64(bytes.count) else { return 0 }
        let count = min(target.count, bytes.count - Int(offset))
        target.copyBytes(from: bytes[Int(offset)..<(Int(offset) + count)])
        return count
    }

    package func size() throws(MediaError) -> UInt64 { UInt64(bytes.count) }
    package func truncate(to size: UInt64) throws(MediaError) {
        precondition(size <= UInt64(bytes.count), "a truncation that extends the file")
        bytes.removeLast(bytes.count - Int(size))
    }
    package func synchronize() throws(MediaError) {}
}

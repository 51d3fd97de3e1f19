import Cryptography
import FileSystem
import Glibc
package import MediaTypes

/// An open file. It stays the same file even if its path is renamed, removed or replaced.
package final class HeldFile: Sendable {
    package let path: RawPath
    private let descriptor: Int32

    /// Opens a file for reading.
    ///
    /// - Throws: An error if the file cannot be opened, is a link, or is not a regular file.
    package init(_ path: RawPath) throws(MediaError) {
        self.path = path
        // Without O_NONBLOCK, opening a FIFO would wait for a writer.
        descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) }
        guard descriptor >= 0 else { throw MediaError(errno: errno, "cannot open \(path.display)") }
        guard FileMetadata.isFile(try facts()) else {
            throw MediaError(.notPermitted, "cannot open \(path.display)", reason: "it is not an ordinary file")
        }
    }

    func facts() throws(MediaError) -> stat {
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw MediaError(errno: errno, "cannot inspect \(path.display)") }
        return facts
    }

    /// Drops the content from the page cache, so that the next read comes from the disk.
    func forgetContent() { _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) }

    /// Returns up to `count` bytes from the beginning.
    func head(_ count: Int) throws(MediaError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let found = pread(descriptor, &bytes, count, 0)
        guard found >= 0 else { throw MediaError(errno: errno, "cannot read \(path.display)") }
        return Array(bytes.prefix(found))
    }

    /// Reads the content from the first byte to the last.
    ///
    /// - Parameter isWanted: Called between blocks. Returns false to cancel.
    /// - Throws: `cancelled` if `isWanted` returned false.
    package func read(
        isWanted: () -> Bool = { !Task.isCancelled },
        _ take: (UnsafeRawBufferPointer) throws(MediaError) -> Void
    ) throws(MediaError) {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: MemoryPage.byteCount)
        defer { block.deallocate() }
        var offset: Int64 = 0
        while true {
            guard isWanted() else {
                throw MediaError(.cancelled, "cannot read \(path.display)", reason: "it was cancelled")
            }
            let count = pread(descriptor, block.baseAddress, block.count, off_t(offset))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw MediaError(errno: errno, "cannot read \(path.display)") }
            guard count > 0 else { return }
            try take(UnsafeRawBufferPointer(rebasing: block[..<count]))
            offset += Int64(count)
        }
    }

    /// Returns the SHA-256 of the content, hexadecimal.
    package func hash(isWanted: () -> Bool = { !Task.isCancelled }) throws(MediaError) -> String {
        var sum = IncrementalHash(.sha256)
        try read(isWanted: isWanted) { sum.update(bufferPointer: $0) }
        return sum.finalize().hexadecimal
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}

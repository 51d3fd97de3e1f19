package import MediaTypes

/// Where fragments go as they are made: a file, or a stream of segments.
package protocol FragmentOutput: AnyObject {
    /// Writes all bytes at an offset. Blocks for as long as the disk does.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(MediaError)
    /// Writes all bytes of a stretch of another file at an offset. Blocks as `write` does.
    ///
    /// - Throws: also the error of the other file, `ioFailure` where that has become shorter.
    func copy(_ place: StoredPlace, to offset: UInt64) throws(MediaError)
    /// Returns once everything written is on the disk (fdatasync(2)).
    func synchronize() throws(MediaError)
    /// Lets go of the file, and so of its lock; nothing else is called afterwards. Letting go of the object does the same.
    func close()
}

/// The file beneath a movie: the few operations that writing and finishing need. Tests put failing ones in its place.
package protocol MovieStorage: FragmentOutput {
    /// Reads up to `bytes.count` bytes; fewer only at the end of the file.
    func read(into bytes: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(MediaError) -> Int
    func size() throws(MediaError) -> UInt64
    func truncate(to size: UInt64) throws(MediaError)
    /// Where at or behind an offset there may be anything but zeros; the file's size when there is nothing.
    func nextData(from offset: UInt64) throws(MediaError) -> UInt64
}

extension FragmentOutput {
    package func close() {}

    package func copy(_ place: StoredPlace, to offset: UInt64) throws(MediaError) {
        try copyThroughMemory(place, to: offset)
    }

    func copyThroughMemory(_ place: StoredPlace, to offset: UInt64) throws(MediaError) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: min(place.count, 256 << 10), alignment: 4096)
        defer { memory.deallocate() }
        var done = 0
        while done < place.count {
            let part = UnsafeMutableRawBufferPointer(rebasing: memory[..<min(memory.count, place.count - done)])
            try place.file.read(into: [part], at: place.offset + UInt64(done))
            try write(UnsafeRawBufferPointer(part), at: offset + UInt64(done))
            done += part.count
        }
    }

    package func write(_ bytes: [UInt8], at offset: UInt64) throws(MediaError) {
        // A closure passed to a rethrowing function of the standard library cannot throw a typed error.
        let result = bytes.withUnsafeBytes { buffer -> Result<Void, MediaError> in
            do throws(MediaError) { return .success(try write(buffer, at: offset)) } catch { return .failure(error) }
        }
        try result.get()
    }
}

extension MovieStorage {
    package func nextData(from offset: UInt64) throws(MediaError) -> UInt64 { offset }

    package func read(_ count: Int, at offset: UInt64) throws(MediaError) -> [UInt8] {
        var failure: MediaError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            do throws(MediaError) {
                initialized = try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
            } catch { failure = error }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Copies a stretch of this file to a place in another one, in bounded pieces.
    func copy(_ range: Range<UInt64>, to target: any MovieStorage, at offset: UInt64) throws(MediaError) {
        var (position, place) = (range.lowerBound, offset)
        if let from = self as? DiskFile, let to = target as? DiskFile {
            let count = try from.copyInKernel(range, to: to, at: offset)
            position += count
            place += count
        }
        while position < range.upperBound {
            let bytes = try read(Int(min(1 << 20, range.upperBound - position)), at: position)
            guard !bytes.isEmpty else {
                throw MediaError(
                    .ioFailure, "cannot copy the movie", reason: "the file ends before its media data does")
            }
            try target.write(bytes, at: place)
            position += UInt64(bytes.count)
            place += UInt64(bytes.count)
        }
    }
}

import FileSystem
package import MediaTypes

/// The destination of fragments as they are written: a file, or a stream of segments.
package protocol FragmentOutput: AnyObject {
    /// Writes all bytes at an offset. Blocks until the disk responds.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(MediaError)
    /// Copies a range of another file to an offset. Blocks like `write`.
    ///
    /// - Throws: the error of either file; `ioFailure` if the other file was truncated meanwhile.
    func copy(_ place: StoredPlace, to offset: UInt64) throws(MediaError)
    /// Returns once everything written is on the disk (fdatasync(2)).
    func synchronize() throws(MediaError)
    /// Closes the file and releases its lock. No other method is called afterwards. Releasing the object has the same
    /// effect.
    func close()
}

/// The file of a movie, with the few operations that writing and finalizing need. Tests substitute storage that fails.
package protocol MovieStorage: FragmentOutput {
    /// Reads up to `bytes.count` bytes; fewer only at the end of the file.
    func read(into bytes: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(MediaError) -> Int
    func size() throws(MediaError) -> UInt64
    func truncate(to size: UInt64) throws(MediaError)
    /// Returns the first offset at or after `offset` where the file may contain bytes other than zero; the file's size
    /// if there is none.
    func nextData(from offset: UInt64) throws(MediaError) -> UInt64
}

extension FragmentOutput {
    package func close() {}

    package func copy(_ place: StoredPlace, to offset: UInt64) throws(MediaError) {
        try copyThroughMemory(place, to: offset)
    }

    func copyThroughMemory(_ place: StoredPlace, to offset: UInt64) throws(MediaError) {
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: min(place.count, 256 << 10), alignment: MemoryPage.byteCount)
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

    /// Copies a range of this file to an offset in another one, in pieces of limited size.
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

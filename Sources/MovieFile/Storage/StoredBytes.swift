package import MediaTypes

/// Bytes of a file that are read once somebody wants to see them.
///
/// Any thread may use it. Two that ask at once may both read; one reading is kept.
// Unchecked: `memory` is read and set under the lock `StoredFile.lateBytes` alone, set once, and freed in `deinit` by the thread
// that drops the last reference; the bytes behind it are never written after that.
private final class StoredBytes: LateBytes, @unchecked Sendable {
    let place: StoredPlace
    private var memory: UnsafeRawBufferPointer?

    init(_ place: StoredPlace) { self.place = place }

    var count: Int { place.count }

    deinit { memory?.deallocate() }

    /// Zeros where the file has become shorter since.
    var bytes: UnsafeRawBufferPointer {
        if let known = place.file.lateBytes.withLock({ _ in memory }) { return known }
        let target = UnsafeMutableRawBufferPointer.allocate(byteCount: place.count, alignment: MediaData.alignment)
        let read = (try? place.file.read(upTo: target, at: place.offset)) ?? 0
        UnsafeMutableRawBufferPointer(rebasing: target[read...]).initializeMemory(as: UInt8.self, repeating: 0)
        let kept = place.file.lateBytes.withLock { _ in
            let kept = memory ?? UnsafeRawBufferPointer(target)
            memory = kept
            return kept
        }
        if kept.baseAddress != UnsafeRawPointer(target.baseAddress) { target.deallocate() }
        return kept
    }
}

extension MediaData {
    /// Bytes that stand in a file and that nobody has read. Whoever writes them elsewhere asks for their `place`.
    package convenience init(at place: StoredPlace) { self.init(StoredBytes(place)) }

    /// Where the bytes stand in a file, if that is where they are; nil for what is in memory.
    package var place: StoredPlace? { (late as? StoredBytes)?.place }
}

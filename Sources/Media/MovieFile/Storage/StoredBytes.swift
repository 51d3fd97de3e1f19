package import MediaTypes

/// Bytes of a file that are read when they are first accessed.
///
/// Any thread may use it. Two threads that access it at the same time may both read; one result is kept.
// Unchecked: `memory` is accessed only under the lock `StoredFile.lateBytes` and set once. `deinit` frees it on the
// thread that drops the last reference. Its bytes are never written after it is set.
private final class StoredBytes: LateBytes, @unchecked Sendable {
    let place: StoredPlace
    private var memory: UnsafeRawBufferPointer?

    init(_ place: StoredPlace) { self.place = place }

    var count: Int { place.count }

    deinit { memory?.deallocate() }

    /// The bytes, read on first access. If the file was truncated meanwhile, zeros replace the missing bytes.
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
    /// Creates data whose bytes are in a file and are read on first access. A writer can copy the range `place` instead
    /// of reading them.
    package convenience init(at place: StoredPlace) { self.init(StoredBytes(place)) }

    /// The position of the bytes in a file; nil if they are in memory.
    package var place: StoredPlace? { (late as? StoredBytes)?.place }
}

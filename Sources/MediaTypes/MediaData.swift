/// Bytes that nobody changes any more, with an owner who gets the memory back when the last user lets go.
///
/// The memory may be Swift's, a C library's, or a driver's buffer that is lent for a while: `release` runs exactly once,
/// on whichever thread drops the last reference, and must not block.
public final class MediaData: @unchecked Sendable {
    // Unchecked: the bytes are never written after `init`, and `release` runs once, in `deinit`.
    public let bytes: UnsafeRawBufferPointer
    private let release: @Sendable () -> Void

    /// Borrows memory. The caller promises that it stays as it is until `release` runs.
    public init(borrowing bytes: UnsafeRawBufferPointer, release: @escaping @Sendable () -> Void) {
        self.bytes = bytes
        self.release = release
    }

    /// Copies bytes into memory of its own.
    public convenience init(copying source: UnsafeRawBufferPointer) {
        self.init(byteCount: source.count) { target in
            if source.count > 0 { target.copyMemory(from: source) }
        }
    }

    public convenience init(_ bytes: [UInt8]) {
        self.init(byteCount: bytes.count) { target in target.copyBytes(from: bytes) }
    }

    /// Allocates `byteCount` bytes and lets `fill` write them. They are not zeroed first.
    public convenience init(byteCount: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 64)
        fill(memory)
        let address = UInt(bitPattern: memory.baseAddress)
        self.init(borrowing: UnsafeRawBufferPointer(memory)) {
            UnsafeMutableRawPointer(bitPattern: address)?.deallocate()
        }
    }

    public var count: Int { bytes.count }

    deinit { release() }
}

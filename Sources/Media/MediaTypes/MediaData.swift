/// Immutable bytes with an owner that gets the memory back after the last use.
///
/// The memory may belong to Swift, a pool, a C library, or a driver that lends a buffer. The memory is returned exactly
/// once, on the thread that drops the last reference. The code that returns it must not block.
public final class MediaData: @unchecked Sendable {
    // Unchecked: the bytes are not written after their creator has passed them on. The owner gets the memory back once,
    // in `deinit`. Bytes that are read on demand have their own lock (`LateBytes`).
    private let start: UnsafeRawPointer?
    public let count: Int
    private let owner: Owner

    /// The alignment of memory, and so of rows of frames, in bytes. The vector code of libyuv and x264 is fastest with
    /// this alignment.
    package static let alignment = 64

    /// The owner that gets the memory back. The cases avoid closures where possible, so that this object is the only
    /// allocation per sample.
    private enum Owner {
        case system
        case pool(MemoryPool)
        case object(any AnyObject & Sendable)
        case closure(@Sendable () -> Void)
        case lent(any LentBuffer)
        case late(any LateBytes)
    }

    private init(_ bytes: UnsafeRawBufferPointer, _ owner: Owner) {
        start = bytes.baseAddress
        count = bytes.count
        self.owner = owner
    }

    /// Creates data whose bytes are loaded on demand.
    package init(_ late: any LateBytes) {
        start = nil
        count = late.count
        owner = .late(late)
    }

    /// The loader of the bytes; nil if they are in memory already.
    package var late: (any LateBytes)? {
        if case .late(let late) = owner { late } else { nil }
    }

    /// True if the memory belongs to a pool. Such memory can be kept for any time, because a pool without a free piece
    /// allocates another. A buffer that a driver lends must be returned soon.
    package var isPooled: Bool {
        if case .pool = owner { true } else { false }
    }

    /// The bytes, valid while this object lives. Bytes stored in a file are read on first access. If the file has
    /// become shorter by then, the missing bytes are zero.
    public var bytes: UnsafeRawBufferPointer {
        if case .late(let late) = owner { return late.bytes }
        return UnsafeRawBufferPointer(start: start, count: count)
    }

    /// Borrows memory. The caller guarantees that the memory does not change until `release` runs.
    public convenience init(borrowing bytes: UnsafeRawBufferPointer, release: @escaping @Sendable () -> Void) {
        self.init(bytes, .closure(release))
    }

    /// Borrows memory that does not change while `owner` lives, such as a part of other data.
    package convenience init(borrowing bytes: UnsafeRawBufferPointer, keeping owner: any AnyObject & Sendable) {
        self.init(bytes, .object(owner))
    }

    /// Borrows the memory of a device's buffer. The buffer is returned to the device after the last use.
    package convenience init(borrowing bytes: UnsafeRawBufferPointer, from buffer: any LentBuffer) {
        self.init(bytes, .lent(buffer))
    }

    /// The device's buffer that contains the bytes; nil if they are in other memory.
    package var lentBuffer: (any LentBuffer)? {
        if case .lent(let buffer) = owner { buffer } else { nil }
    }

    /// Creates data from the first bytes of a pool's piece.
    convenience init(piece: UnsafeMutableRawBufferPointer, count: Int, of pool: MemoryPool) {
        self.init(UnsafeRawBufferPointer(rebasing: piece[..<count]), .pool(pool))
    }

    /// Copies bytes into newly allocated memory.
    public convenience init(copying source: UnsafeRawBufferPointer) {
        self.init(byteCount: source.count) { target in
            if source.count > 0 { target.copyMemory(from: source) }
        }
    }

    public convenience init(_ bytes: [UInt8]) {
        self.init(byteCount: bytes.count) { target in target.copyBytes(from: bytes) }
    }

    /// Allocates `byteCount` bytes, which are not zeroed, and lets `fill` write them.
    public convenience init(byteCount: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: Self.alignment)
        fill(memory)
        self.init(UnsafeRawBufferPointer(memory), .system)
    }

    deinit {
        switch owner {
        case .system: start?.deallocate()
        case .pool(let pool): pool.giveBack(start)
        case .object, .late: break
        case .closure(let release): release()
        case .lent(let buffer): buffer.giveBack()
        }
    }
}

/// Bytes that are loaded into memory on first access, such as the bytes of a file.
///
/// Any thread may access them. The memory is the same each time, and does not change while this object lives.
package protocol LateBytes: AnyObject, Sendable {
    var count: Int { get }
    var bytes: UnsafeRawBufferPointer { get }
}

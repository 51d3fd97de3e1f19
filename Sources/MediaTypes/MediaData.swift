/// Bytes that nobody changes any more, with an owner who gets the memory back when the last user lets go.
///
/// The memory may be Swift's, a pool's, a C library's, or a driver's buffer that is lent for a while. It is given back
/// exactly once, on whichever thread drops the last reference; what does that must not block.
public final class MediaData: @unchecked Sendable {
    // Unchecked: the bytes are never written once anybody but their maker has them, and the owner gets them back once, in
    // `deinit`.
    public let bytes: UnsafeRawBufferPointer
    private let owner: Owner

    /// Who gets the memory back. Where that needs no closure, none is made: this object is all that a sample costs.
    private enum Owner {
        case system
        case pool(MemoryPool)
        case object(any AnyObject & Sendable)
        case closure(@Sendable () -> Void)
    }

    private init(_ bytes: UnsafeRawBufferPointer, _ owner: Owner) {
        self.bytes = bytes
        self.owner = owner
    }

    /// Borrows memory. The caller promises that it stays as it is until `release` runs.
    public convenience init(borrowing bytes: UnsafeRawBufferPointer, release: @escaping @Sendable () -> Void) {
        self.init(bytes, .closure(release))
    }

    /// Borrows memory that stays as it is while `owner` lives: a part of other data.
    package convenience init(borrowing bytes: UnsafeRawBufferPointer, keeping owner: any AnyObject & Sendable) {
        self.init(bytes, .object(owner))
    }

    /// The first bytes of a piece of a pool.
    convenience init(piece: UnsafeMutableRawBufferPointer, count: Int, of pool: MemoryPool) {
        self.init(UnsafeRawBufferPointer(rebasing: piece[..<count]), .pool(pool))
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
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: MemoryPool.alignment)
        fill(memory)
        self.init(UnsafeRawBufferPointer(memory), .system)
    }

    public var count: Int { bytes.count }

    deinit {
        switch owner {
        case .system: bytes.deallocate()
        case .pool(let pool): pool.giveBack(bytes.baseAddress)
        case .object: break
        case .closure(let release): release()
        }
    }
}

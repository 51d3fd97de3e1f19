/// Bytes that nobody changes any more, with an owner who gets the memory back when the last user lets go.
///
/// The memory may be Swift's, a pool's, a C library's, or a driver's buffer that is lent for a while. It is given back
/// exactly once, on whichever thread drops the last reference; what does that must not block.
public final class MediaData: @unchecked Sendable {
    // Unchecked: the bytes are never written once anybody but their maker has them, and the owner gets them back once, in
    // `deinit`. What is read late has a lock of its own (`LateBytes`).
    private let start: UnsafeRawPointer?
    public let count: Int
    private let owner: Owner

    /// Memory, and so rows of pictures, starts at multiples of it, as the vector code of libyuv and x264 likes best.
    package static let alignment = 64

    /// Who gets the memory back. Where that needs no closure, none is made: this object is all that a sample costs.
    private enum Owner {
        case system
        case pool(MemoryPool)
        case object(any AnyObject & Sendable)
        case closure(@Sendable () -> Void)
        case late(any LateBytes)
    }

    private init(_ bytes: UnsafeRawBufferPointer, _ owner: Owner) {
        start = bytes.baseAddress
        count = bytes.count
        self.owner = owner
    }

    /// Bytes that nobody has brought into memory yet.
    package init(_ late: any LateBytes) {
        start = nil
        count = late.count
        owner = .late(late)
    }

    /// Who brings the bytes into memory; nil for what is there.
    package var late: (any LateBytes)? {
        if case .late(let late) = owner { late } else { nil }
    }

    /// The bytes, as long as this object lives. Those that stand in a file are read when they are first asked for; what
    /// cannot be read then, because the file has become shorter since, is zero.
    public var bytes: UnsafeRawBufferPointer {
        if case .late(let late) = owner { return late.bytes }
        return UnsafeRawBufferPointer(start: start, count: count)
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
        }
    }
}

/// Bytes that are brought into memory once somebody wants to see them, as those that stand in a file.
///
/// Any thread may ask. The memory is the same each time, and stays as it is while this object lives.
package protocol LateBytes: AnyObject, Sendable {
    var count: Int { get }
    var bytes: UnsafeRawBufferPointer { get }
}

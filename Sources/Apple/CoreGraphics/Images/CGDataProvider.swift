public import Foundation

/// The bytes of an image.
public final class CGDataProvider: Sendable {
    /// Memory that does not change. It is released after the last use.
    final class Memory: @unchecked Sendable {
        // Unchecked: it is only read.
        let bytes: UnsafeRawBufferPointer
        private let release: @Sendable () -> Void

        init(_ bytes: UnsafeRawBufferPointer, release: @escaping @Sendable () -> Void) {
            self.bytes = bytes
            self.release = release
        }

        deinit { release() }
    }

    let memory: Memory
    package var bytes: UnsafeRawBufferPointer { memory.bytes }

    private init(_ memory: Memory) { self.memory = memory }

    /// Creates a provider of bytes that are valid as long as their owner exists, and retains the owner.
    package convenience init(borrowing bytes: UnsafeRawBufferPointer, keeping owner: some AnyObject & Sendable) {
        self.init(Memory(bytes) { withExtendedLifetime(owner) {} })
    }

    /// Creates a provider of a copy of the current bytes.
    public convenience init?(data: CFData) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: data.length, alignment: 16)
        if let target = copy.baseAddress { data.getBytes(target, length: copy.count) }
        let address = UInt(bitPattern: copy.baseAddress)
        self.init(Memory(UnsafeRawBufferPointer(copy)) { UnsafeMutableRawPointer(bitPattern: address)?.deallocate() })
    }

    /// Creates a provider of the caller's memory.
    ///
    /// - Parameter releaseData: called on any thread after the last use of the memory.
    public convenience init?(
        dataInfo info: UnsafeMutableRawPointer?, data: UnsafeRawPointer, size: Int,
        releaseData: @escaping CGDataProviderReleaseDataCallback
    ) {
        guard size >= 0 else { return nil }
        // The pointers are only passed to `releaseData`, once. The caller must not change the memory.
        nonisolated(unsafe) let (info, data) = (info, data)
        self.init(Memory(UnsafeRawBufferPointer(start: data, count: size)) { releaseData(info, data, size) })
    }

    /// The bytes, which are not copied. They are valid as long as the data object exists.
    public var data: CFData? {
        let memory = memory
        guard let start = memory.bytes.baseAddress else { return NSData() }
        return NSData(bytesNoCopy: UnsafeMutableRawPointer(mutating: start), length: memory.bytes.count) { _, _ in
            withExtendedLifetime(memory) {}
        }
    }
}

public typealias CGDataProviderReleaseDataCallback =
    @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer, Int) -> Void

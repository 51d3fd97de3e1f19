public import Foundation

/// The bytes of an image.
public final class CGDataProvider: Sendable {
    /// Memory that does not change, and is released after the last use.
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

    /// Creates a provider of bytes that live as long as their owner.
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

    /// Creates a provider of memory with another owner.
    ///
    /// - Parameter releaseData: called on any thread after the last use of the memory.
    public convenience init?(
        dataInfo info: UnsafeMutableRawPointer?, data: UnsafeRawPointer, size: Int,
        releaseData: @escaping CGDataProviderReleaseDataCallback
    ) {
        guard size >= 0 else { return nil }
        // Only passed back, once; the memory does not change, as this function's contract requires.
        nonisolated(unsafe) let (info, data) = (info, data)
        self.init(Memory(UnsafeRawBufferPointer(start: data, count: size)) { releaseData(info, data, size) })
    }

    /// The bytes, not copied; they live as long as the data does.
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

public import Foundation

/// The bytes of a picture.
public final class CGDataProvider: Sendable {
    /// Memory that does not change, and is given back when nobody needs it any more.
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

    /// Bytes that live as long as their owner does.
    package convenience init(borrowing bytes: UnsafeRawBufferPointer, keeping owner: some AnyObject & Sendable) {
        self.init(Memory(bytes) { withExtendedLifetime(owner) {} })
    }

    /// Bytes as they are now.
    public convenience init?(data: CFData) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: data.length, alignment: 16)
        if let target = copy.baseAddress { data.getBytes(target, length: copy.count) }
        let address = UInt(bitPattern: copy.baseAddress)
        self.init(Memory(UnsafeRawBufferPointer(copy)) { UnsafeMutableRawPointer(bitPattern: address)?.deallocate() })
    }

    /// Memory that others own.
    ///
    /// - Parameter releaseData: called on any thread when nobody needs the memory any more.
    public convenience init?(
        dataInfo info: UnsafeMutableRawPointer?, data: UnsafeRawPointer, size: Int,
        releaseData: @escaping CGDataProviderReleaseDataCallback
    ) {
        guard size >= 0 else { return nil }
        // Only handed back, once; the memory does not change, as the contract of this call says.
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

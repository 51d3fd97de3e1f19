import COpenSSL

/// Secret bytes. The bytes never change, and are overwritten before their memory is released.
package final class SymmetricKey: @unchecked Sendable {
    private let bytes: UnsafeMutableRawBufferPointer

    /// Creates a key of 256 random bits.
    package init() {
        bytes = .allocate(byteCount: 32, alignment: 8)
        var generator = SystemRandomNumberGenerator()
        for place in stride(from: 0, to: 32, by: 8) {
            bytes.storeBytes(of: generator.next(), toByteOffset: place, as: UInt64.self)
        }
    }

    package init(data: some Collection<UInt8>) {
        bytes = .allocate(byteCount: data.count, alignment: 8)
        data.withBytes { bytes.copyMemory(from: $0) }
    }

    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withExtendedLifetime(self) { body(UnsafeRawBufferPointer(bytes)) }
    }

    deinit {
        OPENSSL_cleanse(bytes.baseAddress, bytes.count)
        bytes.deallocate()
    }
}

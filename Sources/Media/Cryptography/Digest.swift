import COpenSSL

/// The result of a hash function, or an authentication code.
package struct Digest: Sendable, Hashable, RandomAccessCollection, CustomStringConvertible {
    package let bytes: [UInt8]

    /// Creates the digest of a hash function. `write` calls libcrypto, which writes the bytes.
    init(of function: HashFunction, _ write: (UnsafeMutablePointer<UInt8>?) -> Int32) {
        bytes = Array(unsafeUninitializedCapacity: function.size) { bytes, count in
            LibCrypto.require(write(bytes.baseAddress))
            count = function.size
        }
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { bytes.count }
    package subscript(index: Int) -> UInt8 { bytes[index] }

    package func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? { try bytes.withContiguousStorageIfAvailable(body) }

    package var description: String { bytes.hexadecimal }

    package static func == (one: Digest, other: Digest) -> Bool { one.isEqual(to: other.bytes) }

    /// Compares the bytes in a time that does not depend on their values.
    package func isEqual(to other: [UInt8]) -> Bool {
        bytes.count == other.count && CRYPTO_memcmp(bytes, other, bytes.count) == 0
    }
}

extension Sequence<UInt8> {
    /// The bytes in hexadecimal, such as "0a1b".
    package var hexadecimal: String {
        let digits: StaticString = "0123456789abcdef"
        var text: [UInt8] = []
        text.reserveCapacity(2 * underestimatedCount)
        for byte in self {
            text.append(digits.utf8Start[Int(byte >> 4)])
            text.append(digits.utf8Start[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension Collection<UInt8> {
    /// Calls a closure with the bytes. Copies the bytes only if they are not contiguous.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) } ?? Array(self).withUnsafeBytes(body)
    }
}

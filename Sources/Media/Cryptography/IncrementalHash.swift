import COpenSSL

/// Computes a hash of bytes that arrive in parts. A value type: changes of a copy do not affect the original.
///
/// An update allocates memory only for the first change after a copy was made. After `finalize`, the same value can
/// compute another hash, with fewer allocations than a new value.
package struct IncrementalHash: Sendable {
    private var context: HashContext

    package init(_ function: HashFunction) { context = HashContext(function) }

    package mutating func update(bufferPointer bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        separate()
        LibCrypto.require(EVP_DigestUpdate(context.pointer, bytes.baseAddress, bytes.count))
    }

    package mutating func update(data: some Collection<UInt8>) {
        data.withBytes { update(bufferPointer: $0) }
    }

    /// Returns the hash of all bytes since the last call, and begins a new hash.
    package mutating func finalize() -> Digest {
        separate()
        return context.finish()
    }

    private mutating func separate() {
        if !isKnownUniquelyReferenced(&context) { context = HashContext(copying: context) }
    }
}

/// Computes SHA-256 of complete data.
package enum SHA256 {
    package static func hash(data: some Collection<UInt8>) -> Digest {
        let algorithm = LibCrypto.shared.algorithm(.sha256)
        return data.withBytes { data in
            Digest(of: .sha256) { EVP_Digest(data.baseAddress, data.count, $0, nil, algorithm, nil) }
        }
    }
}

/// The state of a hash. `IncrementalHash` changes the state only while it has the only reference to this object.
private final class HashContext: @unchecked Sendable {
    private let function: HashFunction
    let pointer: OpaquePointer

    init(_ function: HashFunction) {
        self.function = function
        pointer = LibCrypto.require(EVP_MD_CTX_new())
        begin()
    }

    init(copying other: HashContext) {
        function = other.function
        pointer = LibCrypto.require(EVP_MD_CTX_new())
        LibCrypto.require(EVP_MD_CTX_copy_ex(pointer, other.pointer))
    }

    private func begin() {
        LibCrypto.require(EVP_DigestInit_ex2(pointer, LibCrypto.shared.algorithm(function), nil))
    }

    func finish() -> Digest {
        defer { begin() }
        return Digest(of: function) { EVP_DigestFinal_ex(pointer, $0, nil) }
    }

    deinit { EVP_MD_CTX_free(pointer) }
}

import Testing

@testable import Cryptography

/// The examples are from RFC 4231.
@Suite struct MessageCodeTests {
    private static let key = SymmetricKey(data: "Jefe".utf8)
    private static let message = Array("what do ya want for nothing?".utf8)

    @Test func code_knownMessage_isTheStandards() {
        let first = MessageCode.code(
            for: "Hi There".utf8, using: SymmetricKey(data: [UInt8](repeating: 0x0B, count: 20)))
        #expect(first.description == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        let second = MessageCode.code(for: Self.message, using: Self.key)
        #expect(second.description == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        // A key that is longer than a block.
        let long = MessageCode.code(
            for: "Test Using Larger Than Block-Size Key - Hash Key First".utf8,
            using: SymmetricKey(data: [UInt8](repeating: 0xAA, count: 131)))
        #expect(long.description == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }

    @Test func code_alteredCodeMessageOrKey_isInvalid() {
        let code = MessageCode.code(for: Self.message, using: Self.key).bytes
        #expect(MessageCode.isValid(code, for: Self.message, using: Self.key))
        for place in code.indices {
            var other = code
            other[place] ^= 1
            #expect(!MessageCode.isValid(other, for: Self.message, using: Self.key))
        }
        #expect(!MessageCode.isValid([], for: Self.message, using: Self.key))
        #expect(!MessageCode.isValid(code, for: Self.message.dropLast(), using: Self.key))
        #expect(!MessageCode.isValid(code, for: Self.message, using: SymmetricKey()))
    }

    @Test func key_random_differsEachTime() {
        let keys = Set((0..<100).map { _ in SymmetricKey().withUnsafeBytes { Array($0) } })
        #expect(keys.count == 100 && keys.allSatisfy { $0.count == 32 })
    }
}

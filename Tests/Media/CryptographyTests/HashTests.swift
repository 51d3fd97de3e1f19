import Testing

@testable import Cryptography

@Suite struct HashTests {
    /// The hashes of no bytes, of "abc", and of a million "a" (FIPS 180-4, RFC 1321).
    private static let known: [HashFunction: [String]] = [
        .sha256: [
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
        ],
        .sha512: [
            "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
                + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
            "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
                + "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b",
        ],
        .sha1: [
            "da39a3ee5e6b4b0d3255bfef95601890afd80709", "a9993e364706816aba3e25717850c26c9cd0d89d",
            "34aa973cd4c4daa4f61eeb2bdbad27316534016f",
        ],
        .md5: [
            "d41d8cd98f00b204e9800998ecf8427e", "900150983cd24fb0d6963f7d28e17f72", "7707d6ae4e027c70eea2a935c2296f21",
        ],
    ]
    private static let messages = [[], Array("abc".utf8), [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)]

    @Test(arguments: HashFunction.allCases) func hash_knownMessage_isTheStandards(_ function: HashFunction) throws {
        // One value computes all three: a finished hash leaves nothing for the next.
        var hash = IncrementalHash(function)
        for (message, expected) in zip(Self.messages, try #require(Self.known[function])) {
            hash.update(data: message)
            let digest = hash.finalize()
            #expect(digest.description == expected)
            #expect(digest.count == function.size)
            if function == .sha256 { #expect(SHA256.hash(data: message) == digest) }
        }
    }

    @Test(arguments: HashFunction.allCases) func hash_randomParts_isThatOfTheWhole(_ function: HashFunction) {
        let message = (0..<100_000).map { _ in UInt8.random(in: 0...255) }
        var whole = IncrementalHash(function)
        whole.update(data: message)
        let expected = whole.finalize()
        for _ in 0..<50 {
            var parts: [Int] = []
            var hash = IncrementalHash(function)
            var place = 0
            while place < message.count {
                let part = min(message.count - place, Int.random(in: 0...(Bool.random() ? 70 : 9000)))
                parts.append(part)
                hash.update(data: message[place..<(place + part)])
                place += part
            }
            #expect(hash.finalize() == expected, "parts of \(parts) bytes")
        }
    }

    @Test func hash_copy_continuesOnItsOwn() {
        var one = IncrementalHash(.sha256)
        one.update(data: "a".utf8)
        var other = one
        one.update(data: "bc".utf8)
        other.update(data: "b".utf8)
        let third = other
        other.update(data: "d".utf8)
        #expect(one.finalize() == SHA256.hash(data: "abc".utf8))
        #expect(other.finalize() == SHA256.hash(data: "abd".utf8))
        var last = third
        last.update(data: "c".utf8)
        #expect(last.finalize() == SHA256.hash(data: "abc".utf8))
    }

    @Test func hash_bytesInSeveralPieces_isThatOfTheBytes() {
        #expect(SHA256.hash(data: repeatElement(UInt8(ascii: "a"), count: 3)) == SHA256.hash(data: "aaa".utf8))
        #expect(SHA256.hash(data: "cba".utf8.reversed()) == SHA256.hash(data: "abc".utf8))
    }

    @Test func hash_manyThreads_isTheSame() async {
        let expected = SHA256.hash(data: "abc".utf8)
        let isSame = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<500).allSatisfy { _ in
                        var hash = IncrementalHash(.sha256)
                        hash.update(data: "abc".utf8)
                        return hash.finalize() == expected
                    }
                }
            }
            return await group.allSatisfy { $0 }
        }
        #expect(isSame)
    }

    @Test func digest_comparison_dependsOnAllBytes() {
        let digest = SHA256.hash(data: "abc".utf8)
        for place in digest.indices {
            var other = digest.bytes
            other[place] ^= 0x80
            #expect(!digest.isEqual(to: other))
        }
        #expect(digest.isEqual(to: Array(digest)))
        #expect(!digest.isEqual(to: []) && !digest.isEqual(to: Array(digest.dropLast())))
        #expect(digest.prefix(2).hexadecimal == "ba78" && [0x0A, 0xFF].hexadecimal == "0aff")
    }
}

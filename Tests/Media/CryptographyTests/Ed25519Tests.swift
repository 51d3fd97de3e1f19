import Testing

@testable import Cryptography

@Suite struct Ed25519Tests {
    /// Private key, public key, message, signature (RFC 8032, 7.1, tests 1 to 3).
    private static let known = [
        [
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555"
                + "fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        ],
        [
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da0"
                + "85ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        ],
        [
            "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac1"
                + "8ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
        ],
    ].map { $0.map(bytes(hexadecimal:)) }

    private static func bytes(hexadecimal text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    @Test(arguments: known) func signature_knownMessage_isTheStandards(_ known: [[UInt8]]) throws {
        let key = try Ed25519.PrivateKey(rawRepresentation: known[0])
        #expect(key.rawRepresentation == known[0])
        #expect(key.publicKey.rawRepresentation == known[1])
        #expect(try key.signature(for: known[2]) == known[3])
        let publicKey = try Ed25519.PublicKey(rawRepresentation: known[1])
        #expect(publicKey.rawRepresentation == known[1])
        #expect(publicKey.isValidSignature(known[3], for: known[2]))
        #expect(key.publicKey.isValidSignature(known[3], for: known[2]))
    }

    @Test func signature_altered_isInvalid() throws {
        let key = Ed25519.PrivateKey()
        let message = Array("a message".utf8)
        let signature = try key.signature(for: message)
        #expect(key.publicKey.isValidSignature(signature, for: message))
        for bit in 0..<512 {
            var other = signature
            other[bit / 8] ^= 1 << (bit % 8)
            #expect(!key.publicKey.isValidSignature(other, for: message))
        }
        #expect(!key.publicKey.isValidSignature(signature, for: message.dropLast()))
        #expect(!Ed25519.PrivateKey().publicKey.isValidSignature(signature, for: message))
        for size in [0, 32, 63] {
            #expect(!key.publicKey.isValidSignature(Array(signature.prefix(size)), for: message))
        }
        #expect(!key.publicKey.isValidSignature(signature + [0], for: message))
    }

    @Test func signature_secondFormOfTheSameNumber_isInvalid() throws {
        let known = Self.known[1]
        let publicKey = try Ed25519.PublicKey(rawRepresentation: known[1])
        // The number S plus the order of the group, little-endian (RFC 8032, 5.1.7).
        let order = Self.bytes(hexadecimal: "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
        var signature = known[3]
        var carry = 0
        for place in 0..<32 {
            carry += Int(signature[32 + place]) + Int(order[place])
            signature[32 + place] = UInt8(carry & 0xFF)
            carry >>= 8
        }
        #expect(carry == 0)
        #expect(!publicKey.isValidSignature(signature, for: known[2]))
    }

    @Test func key_wrongSize_isRefused() {
        for size in [0, 31, 33, 64] {
            let bytes = [UInt8](repeating: 1, count: size)
            #expect(throws: CryptographyError.keySize(size)) { try Ed25519.PrivateKey(rawRepresentation: bytes) }
            #expect(throws: CryptographyError.keySize(size)) { try Ed25519.PublicKey(rawRepresentation: bytes) }
        }
    }

    @Test func key_noPointOfTheCurve_verifiesNothing() throws {
        let key = try Ed25519.PublicKey(rawRepresentation: [2] + [UInt8](repeating: 0, count: 31))
        #expect(!key.isValidSignature([UInt8](repeating: 0, count: 64), for: [1]))
        #expect(!key.isValidSignature([UInt8](repeating: 0xFF, count: 64), for: [1]))
    }

    /// No private key has this public key, and everybody can sign for it: its owner wants that. Earlier builds, which
    /// verified with BoringSSL, accept it too.
    @Test func key_neutralPoint_isAccepted() throws {
        let point: [UInt8] = [1] + [UInt8](repeating: 0, count: 31)
        let signature = point + [UInt8](repeating: 0, count: 32)
        #expect(try Ed25519.PublicKey(rawRepresentation: point).isValidSignature(signature, for: "any message".utf8))
    }

    @Test func key_manyThreads_signsTheSame() async throws {
        let key = Ed25519.PrivateKey()
        let expected = try key.signature(for: [7])
        let isSame = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<100 {
                        let signature = try key.signature(for: [7])
                        guard signature == expected, key.publicKey.isValidSignature(signature, for: [7]) else {
                            return false
                        }
                    }
                    return true
                }
            }
            return try await group.reduce(true) { $0 && $1 }
        }
        #expect(isSame)
    }
}

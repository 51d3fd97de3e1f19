import Testing

@testable import WebService

/// Password hashes that do not reveal the passwords to a reader of the file.
@Suite struct PasswordHashTests {
    @Test func verify_otherPassword_isRefused() throws {
        let hash = try PasswordHash.make("correct horse")
        #expect(hash.hasPrefix("$y$") && !hash.contains("correct"))
        #expect(PasswordHash.verify("correct horse", hash))
        for wrong in ["correct hors", "correct horse ", "Correct horse", "", "correct\0 horse"] {
            #expect(!PasswordHash.verify(wrong, hash), "\(wrong.debugDescription)")
        }
    }

    @Test func make_samePasswordTwice_differs() throws {
        #expect(try PasswordHash.make("twice") != PasswordHash.make("twice"))
    }

    @Test(arguments: ["", "*", "$y$", "nonsense", "$y$j9T$"]) func verify_invalidHash_isRefused(stored: String) {
        #expect(!PasswordHash.verify("x", stored))
        #expect(!PasswordHash.verify("", stored))
    }

    @Test func accepts_passwordThatCanBeHashed_isTrue() throws {
        let longest = String(repeating: "ä", count: 255) + "x"
        #expect(PasswordHash.accepts(longest) && PasswordHash.accepts("12345678"))
        #expect(PasswordHash.verify(longest, try PasswordHash.make(longest)))
        for wrong in ["1234567", longest + "x", "12345678\0"] {
            #expect(!PasswordHash.accepts(wrong))
        }
    }

    @Test func make_passwordWithNUL_fails() throws {
        #expect(throws: (any Error).self) { try PasswordHash.make("a\0b") }
    }
}

import MediaTypes
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Parsing of rclone's real output.
@Suite struct RcloneWordsTests {
    private func words(_ text: String) -> RcloneWords {
        var words = RcloneWords()
        // The text arrives in pieces, as from a pipe.
        for part in Array(text.utf8).chunks(of: 7) { words.take(part) }
        words.finish()
        return words
    }

    @Test func output_progressAndErrors_areDistinguished() {
        let heard = words(
            """
            {"level":"warning","msg":"988 KiB / 2.8 MiB, 34%","stats":{"bytes":1011712,"errors":0}}
            {"level":"error","msg":"a.mov: Failed to copy: boom"}
            {"level":"info","msg":"nothing"}
            plain words
            """)
        #expect(heard.bytes == 1_011_712)
        #expect(heard.errors == ["a.mov: Failed to copy: boom", "plain words"])
    }

    @Test(arguments: [
        ("PUT https://me:hunter2@nas/a.mov: 500", "hunter2"), ("pass=hunter2&user=me refused", "hunter2"),
        ("\"access_token\": \"hunter2\"", "hunter2"), ("https://s3/?X-Amz-Signature=hunter2", "hunter2"),
        ("secret_access_key = hunter2", "hunter2"),
    ])
    func output_secrets_areRemoved(line: String, secret: String) {
        #expect(!RcloneWords.withoutSecrets(line).contains(secret))
    }

    @Test func output_noLineEnd_isBounded() {
        var heard = RcloneWords()
        for _ in 0..<100 { heard.take(ArraySlice(repeating: UInt8(ascii: "x"), count: 65_536)) }
        heard.finish()
        #expect(heard.errors.allSatisfy { $0.count <= 400 })
    }

    private static let said: [(String, MediaError.Code, CopyFailure.Scope)] = [
        ("Failed to create file system for \"nas:a\": didn't find section in config file", .notFound, .remote),
        ("read metadata failed: Unauthorized: 401 Unauthorized", .notPermitted, .remote),
        ("NewFs: couldn't connect SSH: ssh: handshake failed: ssh: unable to authenticate", .notPermitted, .remote),
        ("NewFs: couldn't connect SSH: dial tcp 127.0.0.1:1: connect: connection refused", .ioFailure, .remote),
        ("dial tcp: lookup nas: no such host", .ioFailure, .remote),
        ("Failed to copy: preallocate: file too big for remaining disk space", .diskFull, .remote),
        ("Update ReadFrom failed: Insufficient Storage: 507 Insufficient Storage", .diskFull, .remote),
        ("AccessDenied: Access Denied status code: 403", .notPermitted, .remote),
        ("Update ReadFrom failed: sftp: \"Failure\" (SSH_FX_FAILURE)", .ioFailure, .file),
        ("x401.mov: Internal Server Error: 500 Internal Server Error", .ioFailure, .file),
        ("can't copy - source file is being updated (size changed from 1 to 2)", .busy, .changed),
    ]

    @Test(arguments: said.indices) func failure_errorText_getsCodeAndScope(index: Int) {
        let (text, code, scope) = Self.said[index]
        let failure = RcloneFailure.failure("cannot copy a.mov", status: 1, errors: [text])
        #expect(failure.error.code == code)
        #expect(failure.scope == scope)
        #expect(failure.error.description.hasPrefix("cannot copy a.mov: "))
    }
}

extension Array {
    fileprivate func chunks(of count: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: self.count, by: count).map { self[$0..<Swift.min($0 + count, self.count)] }
    }
}

import CommandInterface
import MediaTypes

/// Interprets rclone's error messages, because its exit status is not specific (rclone.org, "Exit code"). Every backend
/// of rclone has its own messages.
enum RcloneFailure {
    private struct Meaning {
        /// The texts to search for in an error message, in lower case.
        let words: [String]
        let code: MediaError.Code
        let reason: String
        let wayOut: String
        var scope = CopyFailure.Scope.remote
    }

    private static let meanings = [
        Meaning(
            words: ["didn't find section in config file", "unknown type name", "didn't find backend called"],
            code: .notFound, reason: "rclone has no such remote",
            wayOut:
                "as the user who copies, list the remotes with `rclone listremotes` or create one with `rclone config`"),
        Meaning(
            words: [
                "unable to authenticate", "401", "unauthorized", "invalidaccesskeyid", "signaturedoesnotmatch",
                "invalid_grant", "login incorrect", "530 ", "logon is invalid", "authentication failed",
                "invalid token",
                "expired token", "token expired", "agent requested but", "knownhosts: key",
            ],
            code: .notPermitted, reason: "the remote rejects the user and password, or the key",
            wayOut: "change them with `rclone config`"),
        Meaning(
            words: [
                "no space left", "not enough space", "insufficient storage", "507", "quota", "remaining disk space",
                "storage full", "diskfull", "sufficient space", "storagefull", "disk full",
            ],
            code: .diskFull, reason: "the remote has no space left", wayOut: "free some space on it"),
        Meaning(
            words: [
                "connection refused", "no such host", "i/o timeout", "no route to host", "network is unreachable",
                "couldn't connect", "connection reset", "tls handshake", "deadline exceeded", "timed out",
                "broken pipe",
                "host is down", "unexpected eof", "connection lost", "server misbehaving", "use of closed network",
                "failed to connect", "temporary failure in name resolution", "dial tcp", ": eof", "slow down",
                "too many requests", "service unavailable", "502 bad gateway", "504 gateway",
            ],
            code: .ioFailure, reason: "the remote does not answer", wayOut: "copying is retried automatically"),
        Meaning(
            words: [
                "403", "accessdenied", "forbidden", "permission denied", "read-only file system", "access denied",
                "operation not permitted",
            ],
            code: .notPermitted, reason: "this user may not write to the remote", wayOut: "grant that permission"),
        Meaning(
            words: ["nosuchbucket"], code: .notFound, reason: "there is no such bucket", wayOut: "create it"),
        Meaning(
            words: ["ssh_fx_failure"], code: .ioFailure, reason: "the server could not write the file",
            wayOut: "check the server's free space, because its disk may be full", scope: .file),
        Meaning(
            words: ["source file is being updated"], code: .busy, reason: "the file is being changed", wayOut: "",
            scope: .changed),
    ]

    /// Returns the error for a failed call.
    ///
    /// - Parameters:
    ///   - action: The action that failed.
    ///   - status: The exit status of rclone.
    ///   - errors: The messages of rclone, the newest last.
    static func failure(_ action: String, status: Int32, errors: [String]) -> CopyFailure {
        let words = errors.joined(separator: "\n").lowercased()
        let last = errors.last.map { ": " + $0 } ?? ""
        let found = meanings.first { meaning in meaning.words.contains { contains(words, $0) } }
        guard let found else {
            return CopyFailure(
                .file,
                MediaError(
                    .ioFailure, action, reason: errors.last ?? "rclone gave no reason",
                    underlying: .other("rclone", status), wayOut: "it is retried automatically"))
        }
        return CopyFailure(
            found.scope,
            MediaError(
                found.code, action, reason: found.reason + last, underlying: .other("rclone", status),
                wayOut: found.wayOut))
    }

    /// Returns true if the text contains the words. A number must be a separate word: `401` does not match `x401.mov`.
    private static func contains(_ text: String, _ words: String) -> Bool {
        guard words.allSatisfy(\.isNumber) else { return text.contains(words) }
        return text.contains(" \(words) ") || text.contains(": \(words)") || text.hasSuffix(" \(words)")
    }

    static let notInstalled = CopyFailure(
        .remote,
        MediaError(
            .notFound, "cannot copy", reason: "rclone is not installed", wayOut: "`apt install rclone`"))
}

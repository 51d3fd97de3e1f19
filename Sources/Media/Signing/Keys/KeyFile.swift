import FileSystem
import Foundation
import Glibc
package import MediaTypes

/// Keys in files. Each call blocks until the disk responds.
package enum KeyFile {
    /// Creates a new key. The private key is in `path`, which only its owner may read; the public key is in `path.pub`.
    ///
    /// - Throws: `outputExists`, `cannotCreate`, …; an existing file is never replaced, and after an error neither of
    ///   the new files is left.
    package static func make(_ path: String) throws(MediaError) -> SigningKey {
        let key = SigningKey()
        try create(path + ".pub", key.publicKey.pem, mode: 0o644)
        do throws(MediaError) {
            try create(path, key.pem, mode: 0o600)
        } catch {
            unlink(path + ".pub")
            throw error
        }
        return key
    }

    private static func create(_ path: String, _ text: String, mode: mode_t) throws(MediaError) {
        let action = "cannot create \(path)"
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard file >= 0 else {
            throw errno == EEXIST
                ? MediaError(
                    .outputExists, action, reason: "the file exists, and recordings may be signed with this key",
                    wayOut: "choose another name")
                : MediaError(errno: errno, action)
        }
        defer { close(file) }
        let bytes = Array(text.utf8)
        guard fchmod(file, mode) == 0, write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else {
            let error = MediaError(errno: errno, action)
            unlink(path)
            throw error
        }
    }

    /// Reads the key that recordings are signed with.
    ///
    /// - Parameters:
    ///   - name: a path, or the name of a systemd credential.
    ///   - credentials: the directory of the credentials (systemd.exec(5), `$CREDENTIALS_DIRECTORY`).
    /// - Throws: `notPermitted` also for a key that other users may read.
    package static func signingKey(
        _ name: String, credentials: String? = ProcessText.environment["CREDENTIALS_DIRECTORY"]
    ) throws(MediaError) -> SigningKey {
        let credential = credentials.map { "\($0)/\(name)" }
        let path = name.contains("/") ? name : credential.flatMap { access($0, F_OK) == 0 ? $0 : nil } ?? name
        var status = stat()
        // systemd makes a credential readable by the service only, whatever its mode.
        if path != credential, stat(path, &status) == 0, status.st_mode & 0o077 != 0 {
            throw MediaError(
                .notPermitted, "cannot use the key \(path)", reason: "other users can read it",
                wayOut: "run `chmod 600 \(path)`; create a new key if another user may have copied it")
        }
        return try named(path) { (text) throws(MediaError) in try SigningKey(pem: text) }
    }

    package static func verificationKey(_ path: String) throws(MediaError) -> VerificationKey {
        try named(path) { (text) throws(MediaError) in try VerificationKey(pem: text) }
    }

    private static func named<Key>(
        _ path: String, _ parse: (String) throws(MediaError) -> Key
    ) throws(MediaError) -> Key {
        let action = "cannot use the key \(path)"
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            throw MediaError(errno: errno, action, wayOut: "create one with `recorder key new --output FILE`")
        }
        defer { close(file) }
        // The size is limited: no key is longer, and reading a device would never end.
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(file, &bytes, bytes.count)
        guard count >= 0 else { throw MediaError(errno: errno, action) }
        do throws(MediaError) {
            return try parse(String(decoding: bytes[..<count], as: UTF8.self))
        } catch {
            throw MediaError(error.code, action, reason: error.reason, wayOut: error.wayOut)
        }
    }
}

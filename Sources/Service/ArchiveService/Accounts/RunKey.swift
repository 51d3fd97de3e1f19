import CommandInterface
import Cryptography
import FileSystem
import Foundation
import Glibc
package import MediaTypes
package import RecorderStorage

/// The key with which the tasks of a plan seal their receipts. The seal shows that the user who runs the plan wrote the
/// receipt.
///
/// Each user has one secret, in the state directory. The key of each plan is derived from this secret. A worker on this
/// machine derives the key itself. A cluster node may have another state directory, so it reads the key from the plan's
/// directory, where the run has stored the key.
package struct RunKey: Sendable {
    private static let length = 32
    private let key: SymmetricKey

    /// Derives the key of a plan. Creates the user's secret if it does not exist.
    ///
    /// - Parameter plan: The plan's absolute path.
    package init(ofPlan plan: String, in state: StateDirectory = StateDirectory()) throws(MediaError) {
        let secret = SymmetricKey(data: try Self.secret(state.archiveKey))
        key = SymmetricKey(data: MessageCode.code(for: "recorder archive \(plan)".utf8, using: secret))
    }

    /// Reads the key that a run stored in the plan's directory. Returns nil if the key does not exist, or if other
    /// users can read or write it.
    package init?(sharedIn directory: RunDirectory) {
        guard let bytes = Self.readPrivate(directory.key) else { return nil }
        key = SymmetricKey(data: bytes)
    }

    /// Stores the key in the plan's directory, so that cluster nodes can read it.
    package func share(in directory: RunDirectory) throws(MediaError) {
        let bytes = key.withUnsafeBytes { Array($0) }
        guard Self.readPrivate(directory.key) != bytes else { return }
        // If there is a different key, it was written with another secret, for example on another machine. It is
        // replaced.
        try AtomicFile.write(bytes, to: directory.key, overwrite: true, access: .owner, isDurable: true)
    }

    package func seal(_ receipt: TranscodeReceipt) -> TranscodeReceipt {
        var receipt = receipt
        receipt.seal = MessageCode.code(for: receipt.sealed, using: key).hexadecimal
        return receipt
    }

    package func isGenuine(_ receipt: TranscodeReceipt) -> Bool {
        guard let seal = Self.bytes(hexadecimal: receipt.seal) else { return false }
        return MessageCode.isValid(seal, for: receipt.sealed, using: key)
    }

    private static func bytes(hexadecimal text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard text.utf8.count == 64, digits.count == 64 else { return nil }
        return stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    }

    // MARK: Files accessible only to this user

    private static func secret(_ path: String) throws(MediaError) -> [UInt8] {
        if let bytes = readPrivate(path) { return bytes }
        let directory = path.parentDirectory
        let code = FolderContents.create(directory, mode: 0o700)
        guard code == 0 else {
            let cause = MediaError(errno: code, "cannot create \(directory)")
            throw MediaError(.cannotCreate, cause.action, reason: cause.reason, underlying: cause.underlying)
        }
        let new = SymmetricKey().withUnsafeBytes { Array($0) }
        do throws(MediaError) {
            try AtomicFile.write(new, to: path, overwrite: false, access: .owner, isDurable: true)
        } catch {
            // Another run may have created the secret at the same time.
            guard error.code == .outputExists else { throw error }
        }
        guard let bytes = readPrivate(path) else {
            throw MediaError(
                .notPermitted, "cannot use \(path)",
                reason: "it must be a key of \(length) bytes that only this user can read (mode 0600)",
                wayOut: "remove it: a new key is created, and the sources of earlier runs are kept")
        }
        return bytes
    }

    private static func readPrivate(_ path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var facts = stat()
        guard fstat(file, &facts) == 0, FileMetadata.isFile(facts), facts.st_uid == geteuid(),
            facts.st_mode & 0o077 == 0, facts.st_nlink <= 2, Int(facts.st_size) == length
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: length)
        return read(file, &bytes, length) == length ? bytes : nil
    }
}

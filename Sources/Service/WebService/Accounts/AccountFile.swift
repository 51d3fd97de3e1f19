import CommandInterface
import FileSystem
import Foundation
package import MediaTypes
import RealTime

/// The accounts of the page, in a file that only its owner may read and that is replaced atomically.
///
/// The server reads the file again whenever the file has changed, so that a removed account loses access at once.
/// Thread-safe. The calls read and write the disk.
package final class AccountFile: Sendable {
    package let path: String
    /// The lock is a separate file that always remains, because the file of the accounts is replaced.
    private let lockPath: String
    private let newest = Locked<(mark: FileMark?, accounts: [UserAccount])>((nil, []))

    /// Creates the account file.
    ///
    /// - Parameter directory: The server's state directory.
    package init(in directory: String) {
        path = directory + "/accounts.json"
        lockPath = directory + "/accounts.lock"
    }

    /// Returns the accounts in alphabetical order; empty if there is no file.
    ///
    /// - Throws: An error if the file cannot be read. No user can log in until it can be read.
    package func accounts() throws(MediaError) -> [UserAccount] {
        let mark = FileMark(path)
        if let known = newest.withLock({ $0.mark == mark ? $0.accounts : nil }), mark != nil { return known }
        guard mark != nil else { return [] }
        let accounts = try PrivateFile.read([UserAccount].self, path) ?? []
        newest.withLock { $0 = (mark, accounts) }
        return accounts
    }

    package func account(_ name: String) throws(MediaError) -> UserAccount? { try accounts().first { $0.name == name } }

    /// Adds an account, or replaces the password and the role of an existing one. Ends its sessions.
    package func set(_ account: UserAccount) throws(MediaError) {
        var account = account
        account.edition = Secret.make()
        try change { accounts in
            accounts.removeAll { $0.name == account.name }
            accounts.append(account)
        }
    }

    /// Removes an account.
    ///
    /// - Returns: true if the account existed.
    package func remove(_ name: String) throws(MediaError) -> Bool {
        guard try account(name) != nil else { return false }
        var isThere = false
        try change { accounts in
            isThere = accounts.contains { $0.name == name }
            accounts.removeAll { $0.name == name }
        }
        return isThere
    }

    /// Reads the newest accounts, changes and writes them. Without the lock, two processes that change different
    /// accounts at the same time could undo each other's change.
    private func change(_ body: (inout [UserAccount]) -> Void) throws(MediaError) {
        let lock = try PrivateFile.lock(lockPath)
        // The lock ends when its file is closed, at the latest at the end of the process (flock(2)).
        defer { close(lock) }
        var accounts = try PrivateFile.read([UserAccount].self, path) ?? []
        body(&accounts)
        try PrivateFile.write(accounts.sorted { $0.name < $1.name }, path)
    }
}

/// Identifies one version of a file, to detect changes.
struct FileMark: Equatable {
    private let inode: UInt64
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    init?(_ path: String) {
        var kind = stat()
        guard stat(path, &kind) == 0 else { return nil }
        inode = UInt64(kind.st_ino)
        size = Int64(kind.st_size)
        (seconds, nanoseconds) = (kind.st_mtim.tv_sec, kind.st_mtim.tv_nsec)
    }
}

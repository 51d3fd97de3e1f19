import Cryptography
import Glibc
import MediaTypes
import RecorderControl

/// The names that the copying processes of one user use on remotes. Between the check that a name is free and the end of
/// the upload, no other process uses this name.
///
/// Without this, two recorders could send files with the same name to the same directory at the same time. An object
/// store then keeps only the last file, although both were verified. Each name is a byte of one file, at an offset that
/// is computed from the name, so that no file per name remains.
struct CopyNames {
    /// The path of the file with the locks.
    let path: String

    /// Interval between two attempts, in milliseconds.
    private static let interval: Int32 = 200

    /// Reserves a name, and waits while another process uses it. Blocks. The result's deinitialization releases the
    /// name.
    ///
    /// - Parameter name: The complete path on the remote.
    /// - Throws: `stopped`, or an error if names cannot be reserved.
    func reserve(_ name: String, stop: CopyStop) throws(CopyFailure) -> ByteLock {
        while true {
            if let lock = try reserveIfFree(name) { return lock }
            var wished = pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&wished, 1, Self.interval)
            guard !stop.isWished else { throw .stopped }
        }
    }

    /// Reserves a name; returns nil if another process uses it.
    func reserveIfFree(_ name: String) throws(CopyFailure) -> ByteLock? {
        do throws(MediaError) { return try ByteLock(Self.offset(name), of: path) } catch {
            throw CopyFailure(.remote, error)
        }
    }

    /// Returns the first 62 bits of a hash of the name. Two names have the same offset too rarely to matter; one process
    /// then waits for the other.
    private static func offset(_ name: String) -> Int64 {
        Int64(SHA256.hash(data: Array(name.utf8)).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 2)
    }
}

import CCrypt
import Glibc
package import MediaTypes

/// Password hashes by the C library's yescrypt, whose cost the library chooses (crypt(5)).
///
/// Each call needs some tenths of a second of CPU time and some megabytes of memory. This makes guessing slow.
package enum PasswordHash {
    /// The minimum number of characters of a new password.
    package static let leastCharacters = 8
    /// The maximum number of bytes that the library hashes (crypt(3), `CRYPT_MAX_PASSPHRASE_SIZE`).
    package static let mostBytes = 511

    /// Returns true if a user may choose this password.
    package static func accepts(_ password: String) -> Bool {
        password.unicodeScalars.count >= leastCharacters && password.utf8.count <= mostBytes
            && !password.utf8.contains(0)
    }

    /// Returns the hash of a password, with a new salt.
    ///
    /// - Throws: `unsupported` if the library has no yescrypt.
    package static func make(_ password: String) throws(MediaError) -> String {
        guard let salt = crypt_gensalt_ra("$y$", 0, nil, 0) else {
            throw MediaError(errno: errno, "cannot hash a password")
        }
        defer { free(salt) }
        guard let hash = hash(password, setting: String(cString: salt)) else {
            throw MediaError(errno: errno, "cannot hash a password")
        }
        return hash
    }

    /// Returns true if the password matches the stored hash. The check of a wrong password takes as long as that of the
    /// right one.
    package static func verify(_ password: String, _ stored: String) -> Bool {
        guard let hash = hash(password, setting: stored) else { return false }
        let (one, other) = (Array(hash.utf8), Array(stored.utf8))
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func hash(_ password: String, setting: String) -> String? {
        // The library reads a password up to the first NUL, and would ignore the rest.
        guard !password.utf8.contains(0) else { return nil }
        var data: UnsafeMutableRawPointer?
        var size: Int32 = 0
        defer {
            if let data {
                // This memory has held the password.
                explicit_bzero(data, Int(size))
                free(data)
            }
        }
        guard let hash = crypt_ra(password, setting, &data, &size), hash.pointee != 0x2A else { return nil }
        return String(cString: hash)
    }
}

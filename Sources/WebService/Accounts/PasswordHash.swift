import CCrypt
import Glibc
package import MediaTypes

/// Passwords as they are kept: hashed by the C library's yescrypt, whose cost the library chooses (crypt(5)).
///
/// Each call takes some tenths of a second of processor and some megabytes, so that guessing does too.
package enum PasswordHash {
    /// With a salt of its own.
    ///
    /// - Throws: `unsupported` where the library has no yescrypt.
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

    /// Whether this is the password; takes as long when it is not.
    package static func verify(_ password: String, _ stored: String) -> Bool {
        guard let hash = hash(password, setting: stored) else { return false }
        let (one, other) = (Array(hash.utf8), Array(stored.utf8))
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func hash(_ password: String, setting: String) -> String? {
        // The library reads up to the first NUL, and would take what is behind it for nothing.
        guard !password.utf8.contains(0) else { return nil }
        var data: UnsafeMutableRawPointer?
        var size: Int32 = 0
        defer {
            if let data {
                // It has held the password.
                explicit_bzero(data, Int(size))
                free(data)
            }
        }
        guard let hash = crypt_ra(password, setting, &data, &size), hash.pointee != 0x2A else { return nil }
        return String(cString: hash)
    }
}

import FileSystem
import Foundation
import MediaTypes
import RecorderStorage

/// The checks by which clients decide whether to trust a directory. Trust is necessary because clients print the texts
/// that the directory's sockets send, and scripts use these texts as paths.
extension RuntimeDirectory {
    /// Returns the user whose sockets are in the directory; nil if the directory does not exist.
    ///
    /// The directory is trusted if its owner is `user` or root. Another owner, whose control group may include `user`,
    /// is trusted only if no third user can replace the directory. That is so for `/run/recorder` of a system service,
    /// but not below `/tmp`, where any user can write. In every case, only the owner may write in the directory, and
    /// the directory must not be a link.
    ///
    /// - Throws: `notPermitted`, with advice for the user.
    func owner(user: uid_t = geteuid()) throws(MediaError) -> uid_t? {
        let action = "cannot use \(path)"
        var kind = stat()
        guard lstat(path, &kind) == 0 else {
            guard errno != ENOENT, errno != ENOTDIR else { return nil }
            throw MediaError(errno: errno, action)
        }
        let wayOut = "set XDG_RUNTIME_DIR to a directory that you own"
        guard kind.st_mode & S_IFMT == S_IFDIR else {
            throw MediaError(.notPermitted, action, reason: "it is not a directory", wayOut: wayOut)
        }
        guard kind.st_mode & 0o022 == 0 else {
            throw MediaError(
                .notPermitted, action, reason: "other users can write in it",
                wayOut: "`chmod go-w \(path)`, or \(wayOut)")
        }
        guard kind.st_uid == user || kind.st_uid == 0 || isPlacedByOwner(kind.st_uid, user) else {
            throw MediaError(
                .notPermitted, action, reason: "it belongs to another user (uid \(kind.st_uid))", wayOut: wayOut)
        }
        return kind.st_uid
    }

    private func isPlacedByOwner(_ owner: uid_t, _ user: uid_t) -> Bool {
        guard let real = realpath(path, nil) else { return false }
        defer { free(real) }
        return TrustedPath.weakDirectory(
            above: PathText.text(real), users: [owner, user], allowsSticky: false) == nil
    }
}

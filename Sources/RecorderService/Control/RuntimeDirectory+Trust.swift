import FileSystem
import Foundation
import MediaTypes

/// Whom a client believes: what it reads from a socket it prints, and gives to scripts as paths.
extension RuntimeDirectory {
    /// The user whose sockets are in it; nil when there is no such directory.
    ///
    /// Ours and root's are believed. Another user's, whose control group we may be in, is believed where nobody else could
    /// have put it, as `/run/recorder` of a system service; in `/tmp` anybody could. Nobody but the owner may write in it,
    /// and a link is none.
    ///
    /// - Throws: `notPermitted`, with the way out.
    func owner(user: uid_t = geteuid()) throws(MediaError) -> uid_t? {
        let action = "cannot use \(path)"
        var kind = stat()
        guard lstat(path, &kind) == 0 else {
            guard errno != ENOENT, errno != ENOTDIR else { return nil }
            throw MediaError(errno: errno, action)
        }
        let wayOut = "set XDG_RUNTIME_DIR to a directory of yours"
        guard kind.st_mode & S_IFMT == S_IFDIR else {
            throw MediaError(.notPermitted, action, reason: "it is not a directory", wayOut: wayOut)
        }
        guard kind.st_mode & 0o022 == 0 else {
            throw MediaError(
                .notPermitted, action, reason: "other users may write in it",
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

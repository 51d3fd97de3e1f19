import FileSystem
import Glibc
import MediaTypes

/// Why the commands of a configuration file are not to be run: somebody else may have written them.
struct ConfigurationDoubt {
    let reason: String
    let wayOut: String

    /// nil when only this user and root can have: the file is theirs, nobody else may write it, and nobody else may put
    /// another one in its place.
    ///
    /// - Parameter file: open, so that what is looked at is what was read.
    init?(of file: Int32, user: uid_t = geteuid()) {
        var kind = stat()
        guard fstat(file, &kind) == 0, let path = Self.path(of: file) else {
            self.init("it cannot be looked at", "name another file")
            return
        }
        guard kind.st_uid == 0 || kind.st_uid == user else {
            self.init("it belongs to another user (uid \(kind.st_uid))", "`chown \(user) \(path)`")
            return
        }
        guard kind.st_mode & 0o022 == 0 else {
            self.init("others may write it", "`chmod go-w \(path)`")
            return
        }
        if let directory = TrustedPath.weakDirectory(above: path, users: [user], allowsSticky: true) {
            self.init("others may exchange what is in \(directory)", "`chmod go-w \(directory)`, or move it elsewhere")
            return
        }
        return nil
    }

    private init(_ reason: String, _ wayOut: String) {
        self.reason = reason
        self.wayOut = wayOut
    }

    /// Where it really is, whatever links led there (proc(5)).
    private static func path(of file: Int32) -> String? {
        guard let path = realpath("/proc/self/fd/\(file)", nil) else { return nil }
        defer { free(path) }
        return PathText.text(path)
    }
}

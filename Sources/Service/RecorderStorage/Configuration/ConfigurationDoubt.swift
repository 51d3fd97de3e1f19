import FileSystem
import Glibc
import MediaTypes

/// The reason why the commands of a configuration file must not be run: another user may have written them.
struct ConfigurationDoubt {
    let reason: String
    let wayOut: String

    /// Checks a file. Returns nil if only this user or root can have written the file. In that case, one of them owns
    /// the file, and no other user can write or replace it.
    ///
    /// - Parameter file: The descriptor from which the file was read. A check by path could check another file that has
    ///   the same name now.
    init?(of file: Int32, user: uid_t = geteuid()) {
        var kind = stat()
        guard fstat(file, &kind) == 0, let path = Self.path(of: file) else {
            self.init("its owner cannot be checked", "use another file")
            return
        }
        guard kind.st_uid == 0 || kind.st_uid == user else {
            self.init("it belongs to another user (uid \(kind.st_uid))", "`chown \(user) \(path)`")
            return
        }
        guard kind.st_mode & 0o022 == 0 else {
            self.init("other users can write it", "`chmod go-w \(path)`")
            return
        }
        if let directory = TrustedPath.weakDirectory(above: path, users: [user], allowsSticky: true) {
            self.init(
                "other users can replace files in \(directory)", "`chmod go-w \(directory)`, or move it elsewhere")
            return
        }
        return nil
    }

    private init(_ reason: String, _ wayOut: String) {
        self.reason = reason
        self.wayOut = wayOut
    }

    /// Returns the file's real path, with all links resolved (proc(5)).
    private static func path(of file: Int32) -> String? {
        guard let path = realpath("/proc/self/fd/\(file)", nil) else { return nil }
        defer { free(path) }
        return PathText.text(path)
    }
}

import CommandInterface
import FileSystem
import Glibc
package import MediaTypes
package import RTSP

/// The file with the user and the password of a network camera: one line, `USER:PASSWORD`.
package enum CameraLogin {
    /// Reads the file. Blocks until the disk responds.
    ///
    /// - Parameters:
    ///   - name: a path, or the name of a systemd credential.
    ///   - credentials: the directory of the credentials (systemd.exec(5), `$CREDENTIALS_DIRECTORY`).
    /// - Throws: `notPermitted` also for a file that other users may read. No error contains a part of the file.
    package static func read(
        _ name: String, credentials: String? = ProcessText.environment["CREDENTIALS_DIRECTORY"]
    ) throws(MediaError) -> Credentials {
        let credential = credentials.map { "\($0)/\(name)" }
        let path = name.contains("/") ? name : credential.flatMap { access($0, F_OK) == 0 ? $0 : nil } ?? name
        let action = "cannot use the camera's credentials \(path)"
        let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else {
            throw MediaError(
                errno: errno, action, wayOut: "write USER:PASSWORD into the file, and run `chmod 600 \(path)`")
        }
        defer { close(file) }
        var status = stat()
        // systemd makes a credential readable by the service only, whatever its mode.
        if path != credential, fstat(file, &status) != 0 || status.st_mode & 0o077 != 0 {
            throw MediaError(
                .notPermitted, action, reason: "other users can read it",
                wayOut: "run `chmod 600 \(path)`; change the password if another user may have read it")
        }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(file, &bytes, bytes.count)
        guard count >= 0 else { throw MediaError(errno: errno, action) }
        let line = String(decoding: bytes[..<count].prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
        guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else {
            throw MediaError(
                .invalidSettings, action, reason: "its first line is not USER:PASSWORD",
                wayOut: "write the user's name, a colon and the password")
        }
        return Credentials(user: String(line[..<colon]), password: String(line[line.index(after: colon)...]))
    }
}

import FileSystem
import Glibc
package import MediaTypes

/// The PEM file with the certificate of a network camera, or of the authority that issued it.
package enum CameraCertificate {
    /// A certificate has one or two kilobytes.
    private static let mostBytes = 1 << 20

    /// Reads the file. Blocks until the disk responds. The TLS connection checks the contents later.
    ///
    /// - Parameters:
    ///   - name: a path, or the name of a systemd credential.
    ///   - credentials: the directory of the credentials (systemd.exec(5), `$CREDENTIALS_DIRECTORY`).
    package static func read(
        _ name: String, credentials: String? = ProcessText.environment["CREDENTIALS_DIRECTORY"]
    ) throws(MediaError) -> [UInt8] {
        let credential = credentials.map { "\($0)/\(name)" }
        let path = name.contains("/") ? name : credential.flatMap { access($0, F_OK) == 0 ? $0 : nil } ?? name
        let action = "cannot use the camera's certificate \(path)"
        let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else {
            throw MediaError(errno: errno, action, wayOut: "save the certificate there as PEM, and make it readable")
        }
        defer { close(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count <= mostBytes {
            let count = Glibc.read(file, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw MediaError(errno: errno, action) }
            guard count > 0 else { return bytes }
            bytes += part.prefix(count)
        }
        throw MediaError(
            .invalidSettings, action, reason: "it has more than a megabyte",
            wayOut: "name a file that contains only the camera's certificate")
    }
}

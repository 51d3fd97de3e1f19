public import Foundation

/// A real file server for one test: OpenSSH's SFTP, rclone's WebDAV, moto's S3. It ends with this object.
public final class RemoteServer: Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        /// SFTP with a shell, which rclone uses for checksums.
        case sftpWithShell
        /// SFTP with only `internal-sftp`: no checksums.
        case sftp
        /// WebDAV, also without checksums.
        case webdav
        /// An object store with MD5.
        case s3
    }

    public let kind: Kind
    public let port: Int
    /// A section of rclone's configuration, named like the kind.
    public let configuration: String
    /// The remote in rclone's syntax: `sftp:/tmp/…/there`.
    public let remote: String
    /// The location of the files on this disk; nil if the server hides them.
    public let files: URL?
    private let program: ChildProgram

    /// - Parameters:
    ///   - directory: directory for its keys, its log and its files.
    ///   - wrongPassword: true to configure rclone with a wrong password.
    /// - Throws: the server's error output if it does not start.
    public init(_ kind: Kind, in directory: TemporaryDirectory, wrongPassword: Bool = false) throws {
        self.kind = kind
        let name = kind.rawValue
        let place = directory.file("\(name)-files")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        (program, port) = try Loopback.serve(errors: directory.path("\(name).log")) { port in
            switch kind {
            case .sftp, .sftpWithShell: try Self.openSSH(directory, port, hasShell: kind == .sftpWithShell)
            case .webdav:
                ChildProgram.Launch(
                    "rclone",
                    [
                        "--config", "/dev/null", "serve", "webdav", place.path, "--addr", "127.0.0.1:\(port)",
                        "--user", "u", "--pass", "right",
                    ])
            case .s3:
                ChildProgram.Launch(
                    Project.path(".build/judges/bin/moto_server"), ["-H", "127.0.0.1", "-p", "\(port)"])
            }
        }
        switch kind {
        case .sftp, .sftpWithShell:
            let user = try Command.run("id", "-un").text.trimmingCharacters(in: .whitespacesAndNewlines)
            configuration = """
                [\(name)]
                type = sftp
                host = 127.0.0.1
                port = \(port)
                user = \(wrongPassword ? "no-user-of-that-name" : user)
                key_file = \(directory.path("client"))

                """
            (remote, files) = ("\(name):\(place.path)/there", place.appendingPathComponent("there"))
        case .webdav:
            let password = try Command.run("rclone", "obscure", wrongPassword ? "wrong" : "right").text
            configuration = """
                [\(name)]
                type = webdav
                url = http://127.0.0.1:\(port)
                vendor = other
                user = u
                pass = \(password.trimmingCharacters(in: .whitespacesAndNewlines))

                """
            (remote, files) = ("\(name):there", place.appendingPathComponent("there"))
        case .s3:
            configuration = """
                [\(name)]
                type = s3
                provider = Other
                access_key_id = a
                secret_access_key = b
                endpoint = http://127.0.0.1:\(port)
                region = us-east-1
                force_path_style = true

                """
            (remote, files) = ("\(name):bucket/there", nil)
        }
    }

    /// Kills the server.
    public func end() { program.send(SIGKILL) }

    deinit {
        program.send(SIGKILL)
        _ = program.wait()
    }

    private static func openSSH(
        _ directory: TemporaryDirectory, _ port: Int, hasShell: Bool
    ) throws -> ChildProgram.Launch {
        for key in ["host", "client"] where !FileManager.default.fileExists(atPath: directory.path(key)) {
            let made = try Command.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", directory.path(key))
            guard made.status == 0 else { throw Command.Failure(description: made.errors) }
        }
        // The privilege separation directory of root's server.
        if getuid() == 0 { mkdir("/run/sshd", 0o755) }
        let settings = """
            Port \(port)
            ListenAddress 127.0.0.1
            HostKey \(directory.path("host"))
            AuthorizedKeysFile \(directory.path("client.pub"))
            StrictModes no
            UsePAM no
            PidFile none
            MaxStartups 100
            Subsystem sftp internal-sftp
            \(hasShell ? "" : "ForceCommand internal-sftp")

            """
        let path = directory.path("sshd-\(port)")
        try settings.write(toFile: path, atomically: true, encoding: .utf8)
        return ChildProgram.Launch("/usr/sbin/sshd", ["-D", "-e", "-f", path])
    }
}

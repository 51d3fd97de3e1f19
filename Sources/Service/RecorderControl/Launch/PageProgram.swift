import FileSystem
import Glibc
package import MediaTypes

/// The program `recorder-web`, which serves the page. It is in a separate package, because a recorder needs no web
/// server.
package struct PageProgram: Sendable {
    /// The advice for a machine without the program.
    package static let wayOut = "install it with `apt install recorder-web`, or with scripts/install"

    /// The program's path.
    package let path: String

    /// Creates the value for the program that belongs to a recorder. Both programs are in the same directory.
    ///
    /// - Parameter recorder: The path of the recorder's program.
    package init(ofRecorder recorder: String) { path = recorder.parentDirectory + "/recorder-web" }

    /// The program that belongs to this recorder.
    package static var standard: PageProgram {
        PageProgram(ofRecorder: ProcessText.executable ?? "/usr/bin/recorder")
    }

    /// True if the program is there and this user may execute it.
    package var isInstalled: Bool { access(path, X_OK) == 0 }

    /// Replaces this process with the program (execv(3)). Returns only after a failure.
    ///
    /// - Parameter words: The program's arguments.
    /// - Returns: The error, with advice on how to fix it.
    package func execute(_ words: [String]) -> MediaError {
        var arguments: [UnsafeMutablePointer<CChar>?] = ([path] + words).map { strdup($0) } + [nil]
        // If there was no memory for the copy of the path, errno is ENOMEM.
        if let program = arguments[0] { _ = execv(UnsafePointer(program), &arguments) }
        let code = errno
        for argument in arguments { free(argument) }
        guard code == ENOENT else {
            return MediaError(
                errno: code, "cannot run \(path)",
                wayOut: "install it again with `apt install --reinstall recorder-web`, or with scripts/install")
        }
        return MediaError(
            .notFound, "cannot show the page", reason: "\(path) is not installed", underlying: .errno(code),
            wayOut: Self.wayOut)
    }
}

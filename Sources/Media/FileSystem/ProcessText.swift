import Glibc

/// The arguments and the working directory of this process, with every byte (`PathText`).
package enum ProcessText {
    /// The program's name and its arguments.
    ///
    /// `CommandLine.arguments` replaces bytes that are not UTF-8.
    package static let arguments: [String] = (0..<Int(CommandLine.argc)).compactMap { index in
        CommandLine.unsafeArgv[index].map { PathText.text(UnsafePointer($0)) }
    }

    /// The working directory; `/` if it was removed.
    package static var workingDirectory: String {
        guard let path = getcwd(nil, 0) else { return "/" }
        defer { free(path) }
        return PathText.text(UnsafePointer(path))
    }
}

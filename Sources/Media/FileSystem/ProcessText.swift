import Glibc

/// The arguments, the environment and the directories of this process, with every byte (`PathText`).
package enum ProcessText {
    /// The program's name and its arguments.
    ///
    /// `CommandLine.arguments` replaces bytes that are not UTF-8.
    package static let arguments: [String] = (0..<Int(CommandLine.argc)).compactMap { index in
        CommandLine.unsafeArgv[index].map { PathText.text(UnsafePointer($0)) }
    }

    /// The variables of the environment.
    ///
    /// `ProcessInfo` replaces bytes that are not UTF-8. Files would then be written to a directory with another name,
    /// and other programs would get other values.
    package static var environment: [String: String] { variables(LinuxCalls.environment) }

    /// Parses an environment in the form of environ(7). If a name occurs several times, its first value is used, as by
    /// getenv(3).
    static func variables(_ list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> [String: String] {
        var variables: [String: String] = [:]
        var next = list
        while let current = next, let entry = current.pointee {
            let text = PathText.text(UnsafePointer(entry))
            if let end = text.utf8.firstIndex(of: UInt8(ascii: "=")) {
                let name = String(text[..<end])
                if variables[name] == nil { variables[name] = String(text[text.utf8.index(after: end)...]) }
            }
            next = current + 1
        }
        return variables
    }

    /// Returns the user's home directory: `HOME` if that is an absolute path, otherwise the home directory of the user
    /// account, or `/` if that is unknown.
    package static func homeDirectory(in environment: [String: String]) -> String {
        if let home = environment["HOME"], home.hasPrefix("/") { return home }
        return homeDirectory(of: getuid()) ?? "/"
    }

    /// Returns a user's home directory (passwd(5)); nil for an unknown user.
    package static func homeDirectory(of user: UInt32) -> String? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var text = [CChar](repeating: 0, count: 16 << 10)
        return text.withUnsafeMutableBufferPointer { text in
            guard let buffer = text.baseAddress,
                getpwuid_r(user, &entry, buffer, text.count, &found) == 0, found != nil,
                let home = entry.pw_dir
            else { return nil }
            return PathText.text(UnsafePointer(home))
        }
    }

    /// The path of this program's file; nil if it is unknown.
    package static var executable: String? {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = Glibc.readlink("/proc/self/exe", &path, path.count)
        return count > 0 ? PathText.text(path.prefix(count).map { UInt8(bitPattern: $0) }) : nil
    }

    /// The working directory; `/` if it was removed.
    package static var workingDirectory: String {
        guard let path = getcwd(nil, 0) else { return "/" }
        defer { free(path) }
        return PathText.text(UnsafePointer(path))
    }
}

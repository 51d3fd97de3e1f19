import FileSystem
import Foundation

/// The user's directory for videos, as defined by the XDG user directories.
package enum VideosDirectory {
    /// Returns the directory from `user-dirs.dirs`, else `Videos` in the home directory.
    ///
    /// - Parameters:
    ///   - environment: The variables `HOME`, `XDG_CONFIG_HOME` and `XDG_VIDEOS_DIR`.
    ///   - readFile: Returns the text of a file; nil if it does not exist.
    package static func path(
        environment: [String: String] = ProcessText.environment,
        readFile: (String) -> String? = { FileContents.bytes(of: $0).map { PathText.text($0) } }
    ) -> String {
        let home = ProcessText.homeDirectory(in: environment)
        if let direct = environment["XDG_VIDEOS_DIR"], direct.hasPrefix("/") { return direct }
        let configuration = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.config"
        let named = readFile(configuration + "/user-dirs.dirs").flatMap { parse($0, home: home) }
        return named ?? home + "/Videos"
    }

    /// Finds `XDG_VIDEOS_DIR="$HOME/Videos"` in the text of `user-dirs.dirs`.
    ///
    /// The file is a shell fragment in which a value is either `"$HOME/…"` or `"/…"` (xdg-user-dirs). The home
    /// directory itself as the value means "none".
    static func parse(_ text: String, home: String) -> String? {
        for line in text.split(separator: "\n") {
            let line = line.trimmingCharacters(in: .whitespaces)
            guard line.hasPrefix("XDG_VIDEOS_DIR=") else { continue }
            var value = line.dropFirst("XDG_VIDEOS_DIR=".count)
            if value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") { value = value.dropFirst().dropLast() }
            let unescaped = value.replacing("\\\"", with: "\"").replacing("\\\\", with: "\\")
            let path = unescaped.hasPrefix("$HOME/") ? home + unescaped.dropFirst("$HOME".count) : String(unescaped)
            let trimmed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
            return trimmed.hasPrefix("/") && trimmed != home ? trimmed : nil
        }
        return nil
    }
}

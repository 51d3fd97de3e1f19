import FileSystem
import Foundation
import Glibc

/// A path that somebody typed.
package enum FilePath {
    /// The same, from the root on, so that it means the same to whoever reads it: what is printed is absolute.
    ///
    /// A slash at the end, which says that it is a directory, stays. `..` goes where the directories are there: behind a
    /// link it is not what the text says.
    package static func absolute(
        _ text: String, in directory: String = ProcessText.workingDirectory
    ) -> String {
        guard !text.isEmpty else { return text }
        let whole = text.hasPrefix("/") ? text : directory + "/" + text
        let parts = whole.split(separator: "/").filter { $0 != "." }
        let path = "/" + parts.joined(separator: "/")
        let end = text.hasSuffix("/") && !parts.isEmpty ? "/" : ""
        guard let climb = parts.lastIndex(of: ".."),
            let real = realpath("/" + parts[...climb].joined(separator: "/"), nil)
        else { return path + end }
        defer { free(real) }
        let rest = parts[(climb + 1)...].map { "/" + $0 }.joined()
        let base = PathText.text(real)
        return (base == "/" && !rest.isEmpty ? rest : base + rest) + end
    }
}

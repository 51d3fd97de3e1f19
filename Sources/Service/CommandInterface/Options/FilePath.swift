import FileSystem
import Foundation
import Glibc

/// A path that the user typed.
package enum FilePath {
    /// Returns the path from the root. Printed paths are absolute, so that they are valid in any working directory.
    ///
    /// A trailing slash, which marks a directory, stays. Resolves `..` on the file system if that part of the path
    /// exists. After a link, `..` is the parent of the link's target, not the directory that contains the link.
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

package import Foundation
import Glibc
package import MediaTypes

/// A path as text, for APIs that do not accept bytes. If the path's bytes are not UTF-8, this object opens the file,
/// and the text is `/proc/self/fd/NUMBER` (proc(5)). The text is valid as long as this object exists.
package final class BorrowedPath: Sendable {
    package let url: URL
    private let descriptor: Int32

    /// Creates a path.
    ///
    /// - Parameter path: An existing file or directory.
    package init(_ path: RawPath) throws(MediaError) {
        if let text = path.text {
            (url, descriptor) = (URL(fileURLWithPath: text), -1)
            return
        }
        let file = path.withCString { open($0, O_RDONLY | O_CLOEXEC) }
        guard file >= 0 else { throw MediaError(errno: errno, "cannot open \(path.display)") }
        (url, descriptor) = (URL(fileURLWithPath: "/proc/self/fd/\(file)"), file)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}

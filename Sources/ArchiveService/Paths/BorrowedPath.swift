package import Foundation
import Glibc
package import MediaTypes

/// A path for what takes text, also where its bytes are none: then the way leads through an open file of this process
/// (proc(5), `/proc/self/fd`). Good as long as this object lives.
package final class BorrowedPath: Sendable {
    package let url: URL
    private let descriptor: Int32

    /// - Parameter path: of a file or directory that is there.
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

import CLinux
import Crypto
import Foundation
import Glibc
package import MediaTypes

/// Where a node does its work instead of beside the output: a directory of its own disk (`--stage`). A film is copied in once and out
/// once, so that the file system which all nodes share sees one long read and one long write a film.
package struct Stage: Sendable {
    package let directory: RawPath

    package init(_ directory: RawPath) { self.directory = directory }

    /// A place for the work on an output; what dead attempts left goes.
    package func place(for output: RawPath) throws(MediaError) -> PrivateDirectory {
        try FileFacts.makeDirectories(directory)
        PrivateDirectory.sweep(directory)
        // Outputs of one name come from many directories.
        let name = SHA256.hash(data: Data(output.bytes)).hexadecimal
        return try PrivateDirectory(for: directory.appending(name))
    }

    /// Copies a file, and lets it reach the disk. What is there under that name is written over: both places are an attempt's own.
    ///
    /// - Parameter isWanted: asked between parts.
    /// - Throws: `cancelled` where it is not wanted any more.
    package static func copy(
        _ from: RawPath, to target: RawPath, isWanted: () -> Bool = { !Task.isCancelled }
    ) throws(MediaError) {
        let input = from.withCString { open($0, O_RDONLY | O_CLOEXEC) }
        guard input >= 0 else { throw MediaError(errno: errno, "cannot open \(from.display)") }
        defer { close(input) }
        let output = target.withCString { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o644) }
        guard output >= 0 else { throw MediaError(errno: errno, "cannot create \(target.display)") }
        defer { close(output) }
        let part = UnsafeMutableRawBufferPointer.allocate(byteCount: 4 << 20, alignment: 4096)
        defer { part.deallocate() }
        while true {
            guard isWanted() else {
                throw MediaError(.cancelled, "cannot copy \(from.display)", reason: "it was cancelled")
            }
            let count = read(input, part.baseAddress, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw MediaError(errno: errno, "cannot read \(from.display)") }
            guard count > 0 else { break }
            var done = 0
            while done < count {
                let written = write(output, part.baseAddress! + done, count - done)
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { throw MediaError(errno: errno, "cannot write \(target.display)") }
                done += written
            }
        }
        guard fsync(output) == 0 else { throw MediaError(errno: errno, "cannot write \(target.display) to the disk") }
    }
}

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
    /// - Returns: the SHA-256 of what was copied, hexadecimal.
    /// - Throws: `cancelled` where it is not wanted any more.
    @discardableResult
    package static func copy(
        _ from: HeldFile, to target: RawPath, isWanted: () -> Bool = { !Task.isCancelled }
    ) throws(MediaError) -> String {
        let output = target.withCString { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o644) }
        guard output >= 0 else { throw MediaError(errno: errno, "cannot create \(target.display)") }
        defer { close(output) }
        var sum = SHA256()
        try from.read(isWanted: isWanted) { block throws(MediaError) in
            sum.update(bufferPointer: block)
            var done = 0
            while done < block.count {
                let written = write(output, block.baseAddress! + done, block.count - done)
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { throw MediaError(errno: errno, "cannot write \(target.display)") }
                done += written
            }
        }
        guard fsync(output) == 0 else { throw MediaError(errno: errno, "cannot write \(target.display) to the disk") }
        return sum.finalize().hexadecimal
    }
}

import CLinux
import Cryptography
import Foundation
import Glibc
package import MediaTypes

/// A working directory on a node's own disk, used instead of the output's directory (`--stage`). Each source is copied
/// to this directory, and each result is copied from it. Thus the shared file system only has to handle one long read
/// and one long write per movie.
package struct StageDirectory: Sendable {
    package let directory: RawPath

    package init(_ directory: RawPath) { self.directory = directory }

    /// Returns a directory for the work on an output. Removes the directories of killed attempts.
    package func place(for output: RawPath) throws(MediaError) -> PrivateDirectory {
        try FileMetadata.makeDirectories(directory)
        PrivateDirectory.sweep(directory)
        // Outputs from different directories may have the same name.
        let name = SHA256.hash(data: Data(output.bytes)).hexadecimal
        return try PrivateDirectory(for: directory.appending(name))
    }

    /// Copies a file and syncs the copy to the disk. An existing target is overwritten, because the target's directory
    /// belongs to this attempt.
    ///
    /// - Parameter isWanted: Called between blocks. Returns false to cancel.
    /// - Returns: The SHA-256 of the copied bytes, hexadecimal.
    /// - Throws: `cancelled` if `isWanted` returned false.
    @discardableResult
    package static func copy(
        _ from: HeldFile, to target: RawPath, isWanted: () -> Bool = { !Task.isCancelled }
    ) throws(MediaError) -> String {
        let output = target.withCString { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o644) }
        guard output >= 0 else { throw MediaError(errno: errno, "cannot create \(target.display)") }
        defer { close(output) }
        var sum = IncrementalHash(.sha256)
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

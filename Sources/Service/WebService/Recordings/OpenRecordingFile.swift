import FileSystem
import Foundation
import MediaTypes
import NIOCore
import RecorderStorage

/// An open recording file. It is exactly the file in the index, even if its path refers to another file later.
final class OpenRecordingFile: Sendable {
    /// The maximum number of bytes per read.
    static let piece: Int64 = 256 << 10

    let descriptor: Int32
    let identity: FinishedRecording.Identity
    let name: String

    /// Opens the file of a recording. Reads the disk.
    ///
    /// - Throws: `notFound` if the file is gone; `invalidState` if it has changed, or if another file has its path. The
    ///   messages contain no directories.
    init(_ recording: IndexedRecording) throws(MediaError) {
        name = recording.file
        let action = "cannot open \(name)"
        // Without O_NONBLOCK, a FIFO at this path would block until it has a writer.
        descriptor = open(recording.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            let number = errno
            // ELOOP: the path is a link.
            guard ![ENOENT, ENOTDIR, ELOOP].contains(number) else {
                throw MediaError(
                    .notFound, action, reason: "it no longer exists", wayOut: "reload the list of recordings")
            }
            throw MediaError(errno: number, action)
        }
        var kind = stat()
        let isThere = fstat(descriptor, &kind) == 0
        identity = .init(kind)
        guard isThere, kind.st_mode & S_IFMT == S_IFREG, identity.inode == recording.identity.inode,
            recording.isUnfinished ? identity.size >= recording.identity.size : identity == recording.identity
        else {
            close(descriptor)
            throw MediaError(
                .invalidState, action, reason: "it has changed", wayOut: "reload the list of recordings")
        }
    }

    /// Takes ownership of a file without a name, such as a clip. `deinit` closes the descriptor.
    init(_ descriptor: Int32, name: String) {
        (self.descriptor, self.name) = (descriptor, name)
        var kind = stat()
        _ = fstat(descriptor, &kind)
        identity = .init(kind)
    }

    deinit { close(descriptor) }

    var size: Int64 { identity.size }
    /// A path with which libraries in this process open exactly this file.
    var path: String { "/proc/self/fd/\(descriptor)" }
    /// The entity tag of its content (RFC 9110, 8.8.3).
    var tag: String { "\"\(identity.inode)-\(identity.size)-\(identity.modified)\"" }

    /// Reads the beginning of a range: at least one byte, and at most `piece` bytes.
    func bytes(_ range: Range<Int64>) async throws(MediaError) -> ByteBuffer {
        let count = Int(min(Self.piece, Int64(range.count)))
        return try await DiskCall.run("recording-file") { [self] () throws(MediaError) in
            var buffer = ByteBufferAllocator().buffer(capacity: count)
            var number: Int32 = 0
            buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
                let read = pread(descriptor, bytes.baseAddress, count, off_t(range.lowerBound))
                number = read < 0 ? errno : 0
                return max(0, read)
            }
            guard number == 0 else { throw MediaError(errno: number, "cannot read \(name)") }
            guard buffer.readableBytes > 0 else {
                throw MediaError(.ioFailure, "cannot read \(name)", reason: "it was truncated")
            }
            return buffer
        }
    }
}

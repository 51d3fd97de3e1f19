import FileSystem
import Foundation
import MediaTypes
import NIOCore
import RecorderService

/// A recording's file, opened: the very one that the index knows, whatever its path means meanwhile.
final class RecordingFile: Sendable {
    /// Bytes that are read at once.
    static let piece: Int64 = 256 << 10

    let descriptor: Int32
    let identity: FinishedRecording.Identity
    let name: String

    /// Touches the disk.
    ///
    /// - Throws: `notFound` when it is gone, `invalidState` when another file is there, or it has changed; without directories.
    init(_ recording: IndexedRecording) throws(MediaError) {
        name = recording.file
        let action = "cannot open \(name)"
        // A FIFO in its place would wait for its writer.
        descriptor = open(recording.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            let number = errno
            // ELOOP: a link.
            guard ![ENOENT, ENOTDIR, ELOOP].contains(number) else {
                throw MediaError(
                    .notFound, action, reason: "it is not there any more", wayOut: "load the list of recordings again")
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
                .invalidState, action, reason: "it has changed", wayOut: "load the list of recordings again")
        }
    }

    /// One that has no name any more, as a cut. The descriptor is closed with it.
    init(_ descriptor: Int32, name: String) {
        (self.descriptor, self.name) = (descriptor, name)
        var kind = stat()
        _ = fstat(descriptor, &kind)
        identity = .init(kind)
    }

    deinit { close(descriptor) }

    var size: Int64 { identity.size }
    /// By which programs of this process may open it, whatever has its name.
    var path: String { "/proc/self/fd/\(descriptor)" }
    /// Of its content (RFC 9110, 8.8.3).
    var tag: String { "\"\(identity.inode)-\(identity.size)-\(identity.modified)\"" }

    /// Some of its bytes, at least one.
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
                throw MediaError(.ioFailure, "cannot read \(name)", reason: "it has become shorter")
            }
            return buffer
        }
    }
}

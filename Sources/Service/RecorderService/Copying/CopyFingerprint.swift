import Cryptography
import FileSystem
import Foundation
import MediaTypes
import RecorderStorage

/// The checksums that both rclone and this program support, the best first.
enum CopyHash: String, CaseIterable, Sendable {
    case sha256, sha512, sha1, md5

    /// Returns the best of a remote's checksums; nil if none is supported.
    static func best(of names: [String]) -> CopyHash? { allCases.first { names.contains($0.rawValue) } }

    var function: HashFunction {
        switch self {
        case .sha256: .sha256
        case .sha512: .sha512
        case .sha1: .sha1
        case .md5: .md5
        }
    }
}

/// The identity of a local file, and the checksum of all its bytes.
struct CopyFingerprint: Sendable, Equatable {
    let identity: FinishedRecording.Identity
    /// The checksum in lower-case hexadecimal, as rclone reports it.
    let digest: String

    /// Reads the entire file and computes its checksum. Blocks.
    ///
    /// - Throws: `changed` if the file changed meanwhile, or `stopped`.
    init(of path: String, _ hash: CopyHash, stop: CopyStop) throws(CopyFailure) {
        let action = "cannot read \(path)"
        // Links are not followed, and a named pipe does not block.
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { throw Self.failure(errno, path, action) }
        defer { close(file) }
        var kind = stat()
        guard fstat(file, &kind) == 0 else { throw Self.failure(errno, path, action) }
        guard kind.st_mode & S_IFMT == S_IFREG else { throw Self.noFile(path) }
        identity = FinishedRecording.Identity(kind)
        var digest = IncrementalHash(hash.function)
        let part = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { part.deallocate() }
        while true {
            guard !stop.isWished else { throw .stopped }
            let count = Glibc.read(file, part.baseAddress, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure(errno, path, action) }
            guard count > 0 else { break }
            digest.update(bufferPointer: UnsafeRawBufferPointer(rebasing: part[..<count]))
        }
        self.digest = digest.finalize().hexadecimal
        guard try Self.identity(of: path) == identity else { throw Self.changed(path) }
    }

    /// Returns the current identity of a path's file.
    static func identity(of path: String) throws(CopyFailure) -> FinishedRecording.Identity {
        var kind = stat()
        guard lstat(path, &kind) == 0 else { throw failure(errno, path, "cannot check \(path)") }
        guard kind.st_mode & S_IFMT == S_IFREG else { throw noFile(path) }
        return FinishedRecording.Identity(kind)
    }

    static func changed(_ path: String) -> CopyFailure {
        CopyFailure(
            .changed,
            MediaError(
                .busy, "cannot copy \(path)", reason: "it changed meanwhile", wayOut: "it is retried automatically"))
    }

    private static func noFile(_ path: String) -> CopyFailure {
        CopyFailure(
            .gone, MediaError(.invalidState, "cannot copy \(path)", reason: "it is not a regular file any more"))
    }

    private static func failure(_ number: Int32, _ path: String, _ action: String) -> CopyFailure {
        switch number {
        case ENOENT, ENOTDIR, ELOOP: CopyFailure(.gone, MediaError(errno: number, action))
        default: CopyFailure(.file, MediaError(errno: number, action))
        }
    }
}

import Crypto
import FileSystem
import Foundation
import MediaTypes
import RecorderStorage

/// A checksum that both rclone and this program support, the best first.
enum CopyHash: String, CaseIterable, Sendable {
    case sha256, sha512, sha1, md5

    /// Returns the best of a remote's checksums; nil if none is supported.
    static func best(of names: [String]) -> CopyHash? { allCases.first { names.contains($0.rawValue) } }
}

/// Computes a checksum incrementally.
enum CopyDigest {
    case sha256(SHA256)
    case sha512(SHA512)
    case sha1(Insecure.SHA1)
    case md5(Insecure.MD5)

    init(_ hash: CopyHash) {
        self =
            switch hash {
            case .sha256: .sha256(SHA256())
            case .sha512: .sha512(SHA512())
            case .sha1: .sha1(Insecure.SHA1())
            case .md5: .md5(Insecure.MD5())
            }
    }

    mutating func take(_ bytes: ArraySlice<UInt8>) { bytes.withUnsafeBytes { take($0) } }

    mutating func take(_ bytes: UnsafeRawBufferPointer) {
        switch self {
        case .sha256(var function): self = .sha256(Self.updated(&function, bytes))
        case .sha512(var function): self = .sha512(Self.updated(&function, bytes))
        case .sha1(var function): self = .sha1(Self.updated(&function, bytes))
        case .md5(var function): self = .md5(Self.updated(&function, bytes))
        }
    }

    private static func updated<Function: HashFunction>(
        _ function: inout Function, _ bytes: UnsafeRawBufferPointer
    ) -> Function {
        function.update(bufferPointer: bytes)
        return function
    }

    /// The checksum in lower case, like rclone's.
    var text: String {
        switch self {
        case .sha256(let function): Self.text(function)
        case .sha512(let function): Self.text(function)
        case .sha1(let function): Self.text(function)
        case .md5(let function): Self.text(function)
        }
    }

    private static func text(_ function: some HashFunction) -> String {
        function.finalize().map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}

/// The identity of a local file, and the checksum of all its bytes.
struct CopyFingerprint: Sendable, Equatable {
    let identity: FinishedRecording.Identity
    let digest: String

    /// Reads the entire file and computes its checksum. Blocks.
    ///
    /// - Throws: `changed` if the file changed meanwhile, and `stopped`.
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
        var digest = CopyDigest(hash)
        let part = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { part.deallocate() }
        while true {
            guard !stop.isWished else { throw .stopped }
            let count = Glibc.read(file, part.baseAddress, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure(errno, path, action) }
            guard count > 0 else { break }
            digest.take(UnsafeRawBufferPointer(rebasing: part[..<count]))
        }
        self.digest = digest.text
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

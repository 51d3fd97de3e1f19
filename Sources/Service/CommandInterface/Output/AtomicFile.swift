import FileSystem
import Glibc
package import MediaTypes

/// A file that is written completely or not at all, from bytes in memory.
///
/// Some files are written in other ways. A plan is written line by line, and read before it gets its name (`PlanFile`).
/// Movies and segments use `DiskFile`, which knows its file's identity and never removes another file. A pair of keys
/// is written by a lower module (`KeyFile`).
package enum AtomicFile {
    /// The users that may use a new file.
    package enum Access: Sendable {
        /// Mode 0644, less what umask(2) forbids.
        case everyone
        /// Mode 0600.
        case owner
        /// Mode 0600. A file written by root gets the owner of its directory, because that owner has to read the file.
        case ownerOfDirectory
    }

    /// Checks whether `write` can succeed. Creates nothing.
    ///
    /// - Parameters:
    ///   - input: The file that the command reads. It is never replaced, whatever its name.
    ///   - wayOut: The advice about an existing file, such as an option of the command.
    /// - Throws: `outputExists` unless `overwrite`, and always for a movie, the input and a kept file; `cannotCreate`
    ///   or `notPermitted`: the errors that `write` would meet.
    package static func check(
        _ path: String, overwrite: Bool, input: String? = nil, wayOut: String = "use --overwrite to replace it"
    ) throws(MediaError) {
        let action = "cannot create \(path)"
        var kind = stat()
        if lstat(path, &kind) == 0 {
            guard stat(path, &kind) != 0 || kind.st_mode & S_IFMT != S_IFDIR else {
                throw MediaError(.cannotCreate, action, reason: "it is a directory", wayOut: "give a file name")
            }
            if let input, PathIdentity.areSame(path, input) {
                throw MediaError(
                    .outputExists, action, reason: "it is the input itself", wayOut: "choose another name")
            }
            guard overwrite else {
                throw MediaError(
                    .outputExists, action, reason: "it already exists",
                    wayOut: mayBeMovie(path) ? "choose another name" : wayOut)
            }
            // No movie is written with this type, so a movie's name is a mistake.
            guard access(path, F_OK) != 0 || !mayBeMovie(path) else {
                throw MediaError(
                    .outputExists, action, reason: "it already exists, and may be a recording",
                    wayOut: "choose another name")
            }
            guard !PinFile.isThere(path) else {
                throw MediaError(
                    .outputExists, action, reason: "it already exists, and `recorder keep` protects it",
                    wayOut: "choose another name, or run `recorder unkeep \(path)` first")
            }
        }
        let directory = directory(of: path)
        guard stat(directory, &kind) == 0 else {
            throw MediaError(
                .cannotCreate, action, reason: "there is no directory \(directory)",
                wayOut: "create it with `mkdir -p \(directory)`")
        }
        guard kind.st_mode & S_IFMT == S_IFDIR else {
            throw MediaError(.cannotCreate, action, reason: "\(directory) is not a directory")
        }
        guard access(directory, W_OK | X_OK) == 0 else {
            throw MediaError(
                .notPermitted, action, reason: "no permission to write in \(directory)", underlying: .errno(errno),
                wayOut: "choose another place")
        }
    }

    /// Returns true for a file that is not empty and begins neither like an image nor like text. Movies of all
    /// containers are such files, and each of them may be the only copy of a recording.
    ///
    /// Also returns true if the file cannot be opened.
    private static func mayBeMovie(_ path: String) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return true }
        defer { close(file) }
        var head = [UInt8](repeating: 0, count: 512)
        let count = read(file, &head, head.count)
        guard count >= 0 else { return true }
        head.removeLast(head.count - count)
        if images.contains(where: { head.starts(with: $0) }) { return false }
        // The heads of all containers have bytes that text does not have.
        return head.contains { $0 < 0x20 && ![0x09, 0x0A, 0x0D].contains($0) }
    }

    /// The first bytes of PNG and JPEG files (ISO/IEC 15948, 5.2; ISO/IEC 10918-1, B.1.1.3).
    private static let images: [[UInt8]] = [[0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], [0xFF, 0xD8, 0xFF]]

    /// Writes to a temporary file beside the final name, then renames it.
    ///
    /// - Parameters:
    ///   - overwrite: true to replace an existing file; false to keep it and fail.
    ///   - isDurable: true to return only once the file and its name would survive a power loss.
    /// - Throws: the errors of `check`, and `diskFull` or `ioFailure`. No temporary file remains.
    package static func write(
        _ data: MediaData, to path: String, overwrite: Bool, access: Access = .everyone, isDurable: Bool = false
    ) throws(MediaError) {
        let (partial, descriptor) = try openPartial(beside: path, mode: access == .everyone ? 0o644 : 0o600)
        do throws(MediaError) {
            do throws(MediaError) {
                if access == .ownerOfDirectory, geteuid() == 0 { try giveToOwnerOfDirectory(descriptor, path) }
                try write(data, descriptor, path)
                if isDurable, fsync(descriptor) != 0 { throw MediaError(errno: errno, "cannot write \(path)") }
            } catch {
                close(descriptor)
                throw error
            }
            guard close(descriptor) == 0 else { throw MediaError(errno: errno, "cannot write \(path)") }
            try rename(partial, to: path, overwrite: overwrite)
        } catch {
            unlink(partial)
            throw error
        }
        guard !isDurable || synchronizeDirectory(directory(of: path)) == 0 else {
            throw MediaError(errno: errno, "cannot sync directory \(directory(of: path))")
        }
    }

    /// Writes bytes in the same way as `MediaData`.
    package static func write(
        _ bytes: some Sequence<UInt8>, to path: String, overwrite: Bool, access: Access = .everyone,
        isDurable: Bool = false
    ) throws(MediaError) {
        try write(MediaData(Array(bytes)), to: path, overwrite: overwrite, access: access, isDurable: isDurable)
    }

    /// Creates a new file beside `path`, with an unused name. No other program has the new file open.
    private static func openPartial(
        beside path: String, mode: mode_t
    ) throws(MediaError) -> (path: String, descriptor: Int32) {
        for _ in 0..<100 {
            let partial = PrivateName.beside(path, for: "partial")
            let descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
            if descriptor >= 0 { return (partial, descriptor) }
            guard errno == EEXIST else { break }
        }
        throw MediaError(errno: errno, "cannot create \(path)")
    }

    private static func giveToOwnerOfDirectory(_ descriptor: Int32, _ path: String) throws(MediaError) {
        var place = stat()
        guard stat(directory(of: path), &place) == 0, fchown(descriptor, place.st_uid, place.st_gid) == 0 else {
            throw MediaError(errno: errno, "cannot write \(path)")
        }
    }

    private static func write(_ data: MediaData, _ descriptor: Int32, _ path: String) throws(MediaError) {
        var done = 0
        while done < data.count, let start = data.bytes.baseAddress {
            let count = Glibc.write(descriptor, start + done, data.count - done)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw MediaError(errno: count < 0 ? errno : ENOSPC, "cannot write \(path)") }
            done += count
        }
    }

    private static func rename(_ partial: String, to path: String, overwrite: Bool) throws(MediaError) {
        let replaces = overwrite && !PinFile.isThere(path)
        let result = replaces ? FileSystem.rename(partial, path) : renameExclusively(partial, path)
        guard result == 0 else { throw MediaError(errno: errno, "cannot create \(path)") }
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

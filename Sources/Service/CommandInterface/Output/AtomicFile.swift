import CLinux
import FileSystem
import Glibc
package import MediaTypes

/// A file that is written completely or not at all.
package enum AtomicFile {
    /// Checks whether `write` can succeed. Creates nothing.
    ///
    /// - Parameter wayOut: the option of the command that deals with an existing file.
    /// - Throws: `outputExists` unless `overwrite`, `cannotCreate` or `notPermitted`: the errors that `write` would
    ///   meet.
    package static func check(
        _ path: String, overwrite: Bool, wayOut: String = "use --overwrite to replace it"
    ) throws(MediaError) {
        let action = "cannot create \(path)"
        var kind = stat()
        if lstat(path, &kind) == 0 {
            guard stat(path, &kind) != 0 || kind.st_mode & S_IFMT != S_IFDIR else {
                throw MediaError(.cannotCreate, action, reason: "it is a directory", wayOut: "give a file name")
            }
            guard overwrite else {
                throw MediaError(
                    .outputExists, action, reason: "it already exists",
                    wayOut: isMovie(path) ? "choose another name" : wayOut)
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

    /// Returns true if a file begins like a movie (ISO/IEC 14496-12, 4.2). It may be a recording without any copy.
    ///
    /// True also if the file cannot be opened.
    private static func isMovie(_ path: String) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return true }
        defer { close(file) }
        var head = [UInt8](repeating: 0, count: 8)
        guard read(file, &head, 8) == 8 else { return false }
        return ["ftyp", "moov", "mdat", "wide", "free", "skip", "pnot"]
            .contains(String(decoding: head[4...], as: UTF8.self))
    }

    /// Writes to a temporary file beside the final name, then renames it.
    ///
    /// - Throws: the errors of `check`, and `diskFull` or `ioFailure`. No temporary file remains.
    package static func write(_ data: MediaData, to path: String, overwrite: Bool) throws(MediaError) {
        let (partial, descriptor) = try openPartial(beside: path)
        do throws(MediaError) {
            do throws(MediaError) {
                try write(data, descriptor, path)
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
    }

    /// Creates a new file that no other program has open, even if other files have such names.
    private static func openPartial(beside path: String) throws(MediaError) -> (path: String, descriptor: Int32) {
        for _ in 0..<100 {
            let partial = privateName(beside: path)
            let descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
            if descriptor >= 0 { return (partial, descriptor) }
            guard errno == EEXIST else { break }
        }
        throw MediaError(errno: errno, "cannot create \(path)")
    }

    /// Returns a hidden name that contains this process's number and a random number.
    private static func privateName(beside path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let chance = String(UInt32.random(in: 0...UInt32.max), radix: 36)
        // 255 bytes is the longest name (NAME_MAX).
        return directory(of: path) + "/.\(name.utf8.count > 180 ? "" : name + ".")\(getpid())-\(chance).partial"
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
        let action = "cannot create \(path)"
        if overwrite {
            guard FileSystem.rename(partial, path) == 0 else { throw MediaError(errno: errno, action) }
            return
        }
        if renameExclusively(partial, path) == 0 { return }
        // On file systems without an exclusive rename, link(2) creates a second name, and it never replaces a file
        // either.
        guard errno == EINVAL || errno == ENOSYS else { throw MediaError(errno: errno, action) }
        guard link(partial, path) == 0 else { throw MediaError(errno: errno, action) }
        unlink(partial)
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

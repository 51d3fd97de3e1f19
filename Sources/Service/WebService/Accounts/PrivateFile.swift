import CommandInterface
import FileSystem
import Foundation
import MediaTypes

/// JSON files that only the server's user may read (mode 0600) and that are replaced atomically, and their locks.
enum PrivateFile {
    /// Returns the value; nil if there is no file.
    static func read<Value: Decodable>(_ type: Value.Type, _ path: String) throws(MediaError) -> Value? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            guard errno != ENOENT else { return nil }
            throw MediaError(errno: errno, "cannot read \(path)")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            // Hundreds of accounts are some kilobytes.
            let bytes = try file.read(upToCount: 16 << 20) ?? Data()
            return try JSONDecoder().decode(type, from: bytes)
        } catch {
            throw MediaError(
                .corruptData, "cannot read \(path)", reason: "`recorder web` did not write it, or it is damaged",
                wayOut: "move it away, then add the accounts again with `recorder web user add`")
        }
    }

    /// Writes the value and creates the directory if needed. If root writes the file, the owner of the directory
    /// becomes the owner of the file. The server runs as that user, and has to read the file.
    static func write(_ value: some Encodable, _ path: String) throws(MediaError) {
        try createDirectory(of: path)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        guard let bytes = try? encoder.encode(value) else {
            throw MediaError(.invalidState, "cannot write \(path)", reason: "it cannot be encoded")
        }
        try AtomicFile.write(bytes, to: path, overwrite: true, access: .ownerOfDirectory, isDurable: true)
    }

    /// Waits until no other process holds the lock, and returns the open lock file. The caller closes it. The file is
    /// created if needed, with the same owner as in `write`.
    static func lock(_ path: String) throws(MediaError) -> Int32 {
        try createDirectory(of: path)
        if FileMark(path) == nil {
            do throws(MediaError) {
                try AtomicFile.write([UInt8](), to: path, overwrite: false, access: .ownerOfDirectory)
            } catch {
                // Another process may have created it at the same time.
                guard FileMark(path) != nil else { throw error }
            }
        }
        let file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { throw MediaError(errno: errno, "cannot open \(path)") }
        var result: Int32
        repeat { result = flock(file, LOCK_EX) } while result != 0 && errno == EINTR
        guard result == 0 else {
            let code = errno
            close(file)
            throw MediaError(errno: code, "cannot lock \(path)")
        }
        return file
    }

    private static func createDirectory(of path: String) throws(MediaError) {
        let code = FolderContents.create(path.parentDirectory, mode: 0o700)
        guard code == 0 else { throw MediaError(errno: code, "cannot write \(path)") }
    }
}

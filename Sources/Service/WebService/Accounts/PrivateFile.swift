import CommandInterface
import FileSystem
import Foundation
import MediaTypes

/// JSON files that only the server's user may read (mode 0600) and that are replaced atomically.
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
        let code = FolderContents.create(path.parentDirectory, mode: 0o700)
        guard code == 0 else { throw MediaError(errno: code, "cannot write \(path)") }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        guard let bytes = try? encoder.encode(value) else {
            throw MediaError(.invalidState, "cannot write \(path)", reason: "it cannot be encoded")
        }
        try AtomicFile.write(bytes, to: path, overwrite: true, access: .ownerOfDirectory, isDurable: true)
    }
}

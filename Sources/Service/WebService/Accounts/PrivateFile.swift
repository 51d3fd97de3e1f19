import FileSystem
import Foundation
import MediaTypes

/// JSON that only the server's user may read (mode 0600), replaced atomically.
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

    /// Writes the value and creates the directory if needed. A file written by root gets the owner of the directory,
    /// who has to read it.
    static func write(_ value: some Encodable, _ path: String) throws(MediaError) {
        let directory = (path as NSString).deletingLastPathComponent
        let action = "cannot write \(path)"
        if mkdir(directory, 0o700) != 0, errno == ENOENT {
            try? FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        var place = stat()
        guard stat(directory, &place) == 0 else { throw MediaError(errno: errno, action) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        guard let bytes = try? encoder.encode(value) else {
            throw MediaError(.invalidState, action, reason: "it cannot be encoded")
        }
        var template = Array((path + ".XXXXXX").utf8CString)
        // mkstemp(3) sets mode 0600.
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw MediaError(errno: errno, action) }
        let partial = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        do throws(MediaError) {
            defer { close(descriptor) }
            if geteuid() == 0, fchown(descriptor, place.st_uid, place.st_gid) != 0 {
                throw MediaError(errno: errno, action)
            }
            var written = 0
            while written < bytes.count {
                let count = bytes.withUnsafeBytes {
                    write(descriptor, $0.baseAddress! + written, bytes.count - written)
                }
                guard count > 0 else {
                    if count < 0, errno == EINTR { continue }
                    throw MediaError(errno: errno, action)
                }
                written += count
            }
            guard fsync(descriptor) == 0, rename(partial, path) == 0 else { throw MediaError(errno: errno, action) }
        } catch {
            unlink(partial)
            throw error
        }
    }

    private static func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
        Glibc.write(descriptor, bytes, count)
    }
}

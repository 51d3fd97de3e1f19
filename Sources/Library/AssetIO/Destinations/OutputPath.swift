import FileSystem
import Foundation
import Glibc
import MediaTypes

/// Checks the path of a new movie, and names the unfinished file.
enum OutputPath {
    /// Checks that a file can be created at the path.
    ///
    /// - Throws: `cannotCreate` or `notPermitted`; nothing is created.
    static func check(_ path: String) throws(MediaError) {
        let action = "cannot create \(path)"
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            throw MediaError(.cannotCreate, action, reason: "it is a directory", wayOut: "give a file name")
        }
        let directory = directory(of: path)
        guard stat(directory, &status) == 0 else {
            throw MediaError(
                .cannotCreate, action, reason: "the directory \(directory) does not exist", underlying: .errno(errno),
                wayOut: "create it first")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw MediaError(.cannotCreate, action, reason: "\(directory) is not a directory")
        }
        guard access(directory, W_OK | X_OK) == 0 else {
            throw MediaError(errno: errno, action, wayOut: "choose a directory that you can write to")
        }
    }

    /// Returns `NAME.recording.EXTENSION` beside the final name.
    static func temporary(for url: URL) -> URL {
        let base = url.deletingPathExtension().lastPathComponent
        let name = url.pathExtension.isEmpty ? "\(base).recording" : "\(base).recording.\(url.pathExtension)"
        return url.deletingLastPathComponent().appendingPathComponent(name)
    }

    /// Returns the requested type, or the one that the name implies; `.mov` for a name without an extension.
    ///
    /// - Throws: `unsupported` for a type that cannot be written.
    static func fileType(_ wanted: FileType?, for url: URL) throws(MediaError) -> FileType {
        let name = wanted?.rawValue ?? url.pathExtension
        if name.isEmpty { return .mov }
        if let type = FileType(fileExtension: name) { return type }
        let types = FileType.writable.map { ".\($0.rawValue)" }.joined(separator: ", ")
        throw MediaError(
            .unsupported, "cannot write a .\(name) file", reason: "unsupported file type",
            wayOut: "use one of \(types)")
    }

    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    private static func directory(of path: String) -> String {
        let directory = path.parentDirectory
        return directory.isEmpty ? "." : directory
    }
}

package import Glibc

/// The names in a directory.
///
/// Used instead of `FileManager`. `FileManager` fails for a directory whose name is not UTF-8. In other directories, it
/// drops or changes names that are not UTF-8.
package enum FolderContents {
    /// Returns the names in a directory, without `.` and `..`, in the order of the file system.
    ///
    /// - Returns: nil if the directory cannot be read to its end; the reason is in errno.
    package static func names(in directory: String) -> [String]? {
        guard let stream = opendir(directory) else { return nil }
        var names: [String] = []
        while let entry = next(in: stream) {
            let name = name(of: entry)
            if name != ".", name != ".." { names.append(name) }
        }
        let code = errno
        closedir(stream)
        errno = code
        return code == 0 ? names : nil
    }

    /// Returns the next entry of an open directory.
    ///
    /// - Returns: nil with an errno of 0 at the end; nil with another errno if the remaining entries cannot be read.
    package static func next(in stream: OpaquePointer) -> UnsafeMutablePointer<dirent>? {
        // At the end, readdir(3) does not change errno.
        errno = 0
        return readdir(stream)
    }

    /// Returns the name of one entry of readdir(3).
    package static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
        // Swift sees an array of 256 bytes, but file systems with longer names store more bytes there (readdir(3)).
        let name = UnsafeRawPointer(entry) + MemoryLayout<dirent>.offset(of: \.d_name)!
        return PathText.text(name.assumingMemoryBound(to: CChar.self))
    }

    /// Returns the regular files below a directory, as paths relative to it. Does not follow links.
    package static func files(below directory: String) -> [String] {
        var files: [String] = []
        for name in names(in: directory) ?? [] {
            var kind = stat()
            guard lstat(directory + "/" + name, &kind) == 0 else { continue }
            switch kind.st_mode & S_IFMT {
            case S_IFREG: files.append(name)
            case S_IFDIR: files += self.files(below: directory + "/" + name).map { name + "/" + $0 }
            default: break
            }
        }
        return files
    }

    package static func isDirectory(_ path: String) -> Bool {
        var kind = stat()
        return stat(path, &kind) == 0 && kind.st_mode & S_IFMT == S_IFDIR
    }

    /// Returns the size of a file in bytes; nil if there is no such file.
    package static func size(of path: String) -> Int64? {
        var kind = stat()
        return stat(path, &kind) == 0 ? Int64(kind.st_size) : nil
    }

    /// Removes a directory and its contents. Links are removed, not followed.
    package static func removeAll(_ directory: String) {
        for name in names(in: directory) ?? [] {
            let path = directory + "/" + name
            var kind = stat()
            guard lstat(path, &kind) == 0 else { continue }
            if kind.st_mode & S_IFMT == S_IFDIR { removeAll(path) } else { unlink(path) }
        }
        rmdir(directory)
    }

    /// Creates a directory and its missing parents.
    ///
    /// - Returns: 0, or the errno of the call that failed.
    package static func create(_ directory: String, mode: mode_t = 0o777) -> Int32 {
        if mkdir(directory, mode) == 0 { return 0 }
        let code = errno
        var kind = stat()
        if code == EEXIST { return stat(directory, &kind) == 0 && kind.st_mode & S_IFMT == S_IFDIR ? 0 : ENOTDIR }
        guard code == ENOENT, let slash = directory.lastIndex(of: "/"), slash > directory.startIndex else {
            return code
        }
        let above = create(String(directory[..<slash]), mode: mode)
        if above != 0 { return above }
        return mkdir(directory, mode) == 0 || errno == EEXIST ? 0 : errno
    }
}

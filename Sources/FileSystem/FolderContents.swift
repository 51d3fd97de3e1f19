package import Glibc

/// The names in a directory.
///
/// `FileManager` fails for a directory, and drops or changes a name, that is not UTF-8.
package enum FolderContents {
    /// The names in a directory, without `.` and `..`, in the order of the file system.
    ///
    /// - Returns: nil where the directory cannot be read; errno says why.
    package static func names(in directory: String) -> [String]? {
        guard let stream = opendir(directory) else { return nil }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = name(of: entry)
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// The name of one entry of readdir(3).
    package static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
        // The name is longer than the array of 256 that Swift sees where a file system has longer ones (readdir(3)).
        let name = UnsafeRawPointer(entry) + MemoryLayout<dirent>.offset(of: \.d_name)!
        return PathText.text(name.assumingMemoryBound(to: CChar.self))
    }

    /// The regular files below a directory, by their paths from there. Links are not followed.
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

    /// The size of a file in bytes, nil where there is none.
    package static func size(of path: String) -> Int64? {
        var kind = stat()
        return stat(path, &kind) == 0 ? Int64(kind.st_size) : nil
    }

    /// Removes a directory with all that is in it. Links are removed, not followed.
    package static func removeAll(_ directory: String) {
        for name in names(in: directory) ?? [] {
            let path = directory + "/" + name
            var kind = stat()
            guard lstat(path, &kind) == 0 else { continue }
            if kind.st_mode & S_IFMT == S_IFDIR { removeAll(path) } else { unlink(path) }
        }
        rmdir(directory)
    }

    /// Creates a directory and those above it.
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

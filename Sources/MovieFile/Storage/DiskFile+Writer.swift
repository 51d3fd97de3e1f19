import FileSystem
import Glibc

/// Which process holds the lock of a file that is being written.
extension DiskFile {
    /// The number of the process that writes to a file now; nil: none does, or the system does not tell.
    ///
    /// Reads proc(5), `/proc/locks`. Takes no lock, not even for a moment: a look must not make another program's fail.
    package static func writer(of path: String) -> Int32? {
        var facts = stat()
        guard stat(path, &facts) == 0, let table = text(of: "/proc/locks") else { return nil }
        for line in table.split(separator: "\n") {
            // "1: FLOCK  ADVISORY  WRITE 4711 08:01:131074 0 EOF"; a process that waits for a lock has "->" before its type.
            let words = line.split(separator: " ")
            guard words.count >= 6, words[1] != "->", words[3] == "WRITE", let process = Int32(words[4]), process > 0,
                let inode = words[5].split(separator: ":").last, UInt64(inode) == UInt64(facts.st_ino)
            else { continue }
            // Some file systems have another device in that table than stat(2) says: another file may have the same number.
            if holds(process, facts) { return process }
        }
        return nil
    }

    /// Whether a process has the file open; true where this user may not look.
    private static func holds(_ process: Int32, _ facts: stat) -> Bool {
        guard let directory = opendir("/proc/\(process)/fd") else { return errno == EACCES || errno == EPERM }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            var opened = stat()
            if stat("/proc/\(process)/fd/\(name)", &opened) == 0, opened.st_ino == facts.st_ino,
                opened.st_dev == facts.st_dev
            {
                return true
            }
        }
        return false
    }

    /// A file of proc(5), which has no size to read by.
    private static func text(of path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { Glibc.close(file) }
        var text: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = Glibc.read(file, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? String(decoding: text, as: UTF8.self) : nil }
            text += part.prefix(count)
        }
    }
}

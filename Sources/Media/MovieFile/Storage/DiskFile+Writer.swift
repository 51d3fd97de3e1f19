import FileSystem
import Glibc

/// Finds the process that holds the lock of a file that is being written.
extension DiskFile {
    /// Returns the ID of the process that is writing to a file; nil if there is none, or the system does not reveal it.
    ///
    /// Reads proc(5), `/proc/locks`. Never takes a lock, because even a short one would make another program's attempt
    /// fail.
    package static func writer(of path: String) -> Int32? {
        var facts = stat()
        guard stat(path, &facts) == 0, let table = text(of: "/proc/locks") else { return nil }
        for line in table.split(separator: "\n") {
            // A line is like "1: FLOCK  ADVISORY  WRITE 4711 08:01:131074 0 EOF". If the process still waits for the
            // lock, "->" is before FLOCK.
            let words = line.split(separator: " ")
            guard words.count >= 6, words[1] != "->", words[3] == "WRITE", let process = Int32(words[4]), process > 0,
                let inode = words[5].split(separator: ":").last, UInt64(inode) == UInt64(facts.st_ino)
            else { continue }
            // On some file systems, the device number in that table differs from that of stat(2), so only the inode
            // numbers are compared. Another file may have the same inode number, so the process's open files are
            // checked too.
            if holds(process, facts) { return process }
        }
        return nil
    }

    /// Returns true if a process has the file open, or if this user has no permission to check.
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

    /// Reads a file of proc(5), whose size is unknown.
    private static func text(of path: String) -> String? {
        FileContents.bytes(of: path).map { String(decoding: $0, as: UTF8.self) }
    }
}

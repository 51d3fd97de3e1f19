import CLinux
import Glibc
package import MediaTypes

/// Deletes one specific file. Never deletes another file that has got the same name in the meantime.
///
/// Checking a name and then calling unlink(2) can delete a file that got the name in between. The file is therefore
/// renamed first, to a hidden name in the same directory. There it is checked again, and is either deleted or renamed
/// back. A process that is killed in between leaves the hidden name. The next removal of the same file completes this
/// removal, and `restore` undoes it.
package enum CheckedRemoval {
    package enum Outcome: Sendable, Equatable {
        case removed
        /// No file has the name.
        case absent
        /// Another file has the name, and keeps it.
        case another
    }

    /// The file that has the name: the result of lstat(2).
    package struct Candidate: Sendable, Hashable {
        /// True for a regular file, false for a link or a directory.
        package let isFile: Bool
        package let device: UInt64
        package let inode: UInt64
        package let size: Int64
        /// Nanoseconds since 1970. Renaming does not change it.
        package let modified: Int64

        init(_ facts: stat) {
            isFile = facts.st_mode & S_IFMT == S_IFREG
            (device, inode, size) = (UInt64(facts.st_dev), UInt64(facts.st_ino), Int64(facts.st_size))
            modified = Int64(facts.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(facts.st_mtim.tv_nsec)
        }
    }

    /// The maximum number of hidden names to try. Files of other users may already have some of these names.
    private static let mostNames = 8

    /// Removes a file if it is the wanted one.
    ///
    /// - Parameters:
    ///   - name: one component of a path, without a NUL byte.
    ///   - directory: an open directory.
    ///   - place: the file's path, for messages.
    ///   - isWanted: returns true for the file to remove; called before and after renaming.
    /// - Throws: the error of the disk. The file then has its original name, or the message states which name it has.
    package static func remove(
        _ name: [UInt8], in directory: Int32, place: @autoclosure () -> String, isWanted: (Candidate) -> Bool
    ) throws(MediaError) -> Outcome {
        guard let facts = facts(name, directory) else {
            guard errno == ENOENT else { throw MediaError(errno: errno, "cannot delete \(place())") }
            return completed(name, directory, isWanted) ? .removed : .absent
        }
        guard isWanted(facts) else { return .another }
        let aside = try setAside(name, directory, place())
        guard let moved = Self.facts(aside, directory), isWanted(moved) else {
            try putBack(aside, name, directory, place())
            return .another
        }
        let code = call(aside) { unlinkat(directory, $0, 0) }
        if code == 0 { return .removed }
        let number = errno
        try putBack(aside, name, directory, place())
        throw MediaError(errno: number, "cannot delete \(place())")
    }

    /// Gives a file its name again that a removal has renamed and not deleted.
    ///
    /// - Parameters:
    ///   - name: one component of a path, without a NUL byte.
    ///   - directory: an open directory.
    ///   - isWanted: returns true for the file that had the name.
    /// - Returns: true if the file has its name again.
    package static func restore(
        _ name: [UInt8], in directory: Int32, isWanted: (Candidate) -> Bool
    ) -> Bool {
        for number in 1...mostNames {
            let aside = asideName(name, number)
            if let facts = facts(aside, directory), isWanted(facts) { return rename(aside, name, directory) == 0 }
        }
        return false
    }

    /// Deletes a file that an earlier removal has renamed.
    private static func completed(_ name: [UInt8], _ directory: Int32, _ isWanted: (Candidate) -> Bool) -> Bool {
        for number in 1...mostNames {
            let aside = asideName(name, number)
            guard let facts = facts(aside, directory) else { continue }
            if isWanted(facts), call(aside, { unlinkat(directory, $0, 0) }) == 0 { return true }
        }
        return false
    }

    private static func setAside(
        _ name: [UInt8], _ directory: Int32, _ place: String
    ) throws(MediaError) -> [UInt8] {
        for number in 1...mostNames {
            let aside = asideName(name, number)
            if rename(name, aside, directory) == 0 { return aside }
            guard errno == EEXIST else { break }
        }
        throw MediaError(errno: errno, "cannot delete \(place)")
    }

    private static func putBack(
        _ aside: [UInt8], _ name: [UInt8], _ directory: Int32, _ place: String
    ) throws(MediaError) {
        guard rename(aside, name, directory) != 0, errno != ENOENT else { return }
        throw MediaError(
            errno: errno, "cannot restore the name of \(place)",
            wayOut: "the file is intact, as \(String(decoding: aside, as: UTF8.self)) in the same directory")
    }

    /// Renames without replacing another file.
    private static func rename(_ from: [UInt8], _ to: [UInt8], _ directory: Int32) -> Int32 {
        let code = call(from) { from in call(to) { clinux_rename_exclusive_in(directory, from, $0) } }
        guard code != 0, errno == EINVAL || errno == ENOSYS else { return code }
        // For file systems without an exclusive rename. The check is enough, because no other program creates files
        // with such names.
        guard facts(to, directory) == nil else {
            errno = EEXIST
            return -1
        }
        return call(from) { from in call(to) { renameat(directory, from, directory, $0) } }
    }

    /// Returns ".NAME.deleting", with NAME shortened to 240 bytes: the longest name has 255 (NAME_MAX).
    private static func asideName(_ name: [UInt8], _ number: Int) -> [UInt8] {
        let ending = number == 1 ? ".deleting" : ".deleting-\(number)"
        return [UInt8(ascii: ".")] + name.prefix(240) + Array(ending.utf8)
    }

    private static func facts(_ name: [UInt8], _ directory: Int32) -> Candidate? {
        var facts = stat()
        return call(name) { fstatat(directory, $0, &facts, AT_SYMLINK_NOFOLLOW) } == 0 ? Candidate(facts) : nil
    }

    private static func call(_ name: [UInt8], _ body: (UnsafePointer<CChar>) -> Int32) -> Int32 {
        (name + [0]).withUnsafeBufferPointer { all in
            all.withMemoryRebound(to: CChar.self) { body($0.baseAddress!) }
        }
    }
}

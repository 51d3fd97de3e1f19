import CLinux
import FileSystem
import Foundation
import MediaTypes

/// Makes sure that one process has a name: an exclusive lock of an open file (fcntl(2), F_OFD_SETLK) that holds its process
/// number.
///
/// The kernel lets go of it however the process ends, so a lock is never stale. The file itself stays behind on purpose:
/// removing it would let two processes lock two files of one name. Whoever looks whether it is held takes nothing, not even
/// for a moment: a look must not make a start fail.
final class InstanceLock: Sendable {
    private let descriptor: Int32

    /// Of the capture process of that name.
    ///
    /// - Throws: `busy`, with the number of the process that has the name.
    ///
    /// - Parameters:
    ///   - group: to whose members the directory is opened.
    ///   - isPassed: others may use what in it is theirs too.
    convenience init(
        _ name: RecordingName, in directory: RuntimeDirectory, group: ControlGroup? = nil, isPassed: Bool = false
    ) throws(MediaError) {
        try directory.prepare(for: group, isPassed: isPassed)
        try self.init(directory.lock(name)) { owner in
            MediaError(
                .busy, "cannot start \(name)",
                reason: "it is recording already" + (owner.map { " (pid \($0))" } ?? ""),
                wayOut: "`recorder stop \(name)` ends it, or give this one another name")
        }
    }

    /// - Parameters:
    ///   - path: in a directory of this user's.
    ///   - busy: what to tell when the process of that number has it.
    init(_ path: String, busy: (Int32?) -> MediaError) throws(MediaError) {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw MediaError(errno: errno, "cannot open \(path)") }
        guard clinux_lock_file(file) == 0 else {
            let reason = errno
            let owner = Self.owner(path)
            close(file)
            guard reason == EAGAIN || reason == EACCES else { throw MediaError(errno: reason, "cannot lock \(path)") }
            throw busy(owner)
        }
        descriptor = file
        ftruncate(file, 0)
        let text = "\(getpid())\n"
        _ = text.utf8CString.withUnsafeBytes { write(file, $0.baseAddress, $0.count - 1) }
    }

    /// Whether a living process has it; nil when this user may not look. A lock that is ours counts as held too.
    static func isHeld(at path: String) -> Bool? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return errno == EACCES ? nil : false }
        defer { close(file) }
        return clinux_is_file_locked(file) > 0
    }

    static func owner(_ path: String) -> Int32? {
        (try? String(contentsOfFile: path, encoding: .utf8)).flatMap {
            Int32($0.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }

    deinit { close(descriptor) }
}

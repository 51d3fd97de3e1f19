import CommandInterface
import FileSystem
import Glibc
package import MediaTypes

/// Writes a plan to a file. The file gets its name only when it is complete, and never replaces an existing file.
package final class PlanFile {
    private let path: String
    private let partial: String
    private let file: Int32
    /// The advice for a plan file that exists. `archive plan` never replaces it, because a run may be using it.
    private static let wayOut = "remove it, or choose another name with --plan"
    private var waiting: [UInt8] = []

    package init(_ path: String) throws(MediaError) {
        self.path = path
        try AtomicFile.check(path, overwrite: false, wayOut: Self.wayOut)
        partial = "\(path).\(getpid()).partial"
        file = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard file >= 0 else { throw MediaError(errno: errno, "cannot create \(path)") }
    }

    package func write(_ line: String) throws(MediaError) {
        waiting += Array(line.utf8)
        waiting.append(UInt8(ascii: "\n"))
        if waiting.count > 1 << 18 { try flush() }
    }

    /// Checks the plan and gives the file its name. An invalid plan gets no name, and is removed with this object.
    ///
    /// - Throws: `corruptData` if the plan is invalid, or `outputExists` if the name was taken meanwhile.
    package func finish() throws(MediaError) {
        try flush()
        guard fsync(file) == 0 else { throw MediaError(errno: errno, "cannot write \(path)") }
        do throws(MediaError) { _ = try PlanReader.read(partial) } catch {
            guard error.code == .corruptData else { throw error }
            throw MediaError(
                .corruptData, "cannot make \(path)", reason: error.reason,
                wayOut: "choose another directory for the copies with --to; no plan was written")
        }
        guard renameExclusively(partial, path) == 0 else {
            throw MediaError(errno: errno, "cannot create \(path)", wayOut: errno == EEXIST ? Self.wayOut : "")
        }
    }

    private func flush() throws(MediaError) {
        var done = 0
        while done < waiting.count {
            let count = waiting.withUnsafeBytes { Glibc.write(file, $0.baseAddress! + done, $0.count - done) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw MediaError(errno: count < 0 ? errno : ENOSPC, "cannot write \(path)") }
            done += count
        }
        waiting = []
    }

    deinit {
        unlink(partial)
        close(file)
    }
}

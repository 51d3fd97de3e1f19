import CommandInterface
import FileSystem
import Foundation
package import MediaTypes

/// The directory `PLAN.d` with the files that the runs of a plan create. It is beside the plan, so that every machine
/// that can read the plan can also read these files.
package struct RunDirectory: Sendable, Hashable {
    package let path: String

    package init(ofPlan plan: String) { path = plan + ".d" }

    /// The lock held by the process that runs the plan.
    package var lock: RawPath { RawPath(path + "/run.lock") }
    /// The file with the options of the last run, which `resume` uses.
    package var options: String { path + "/run.json" }
    /// A file whose existence stops the plan on every machine.
    package var cancelled: String { path + "/cancelled" }
    package var logs: String { path + "/logs" }
    package var accounting: String { path + "/accounting" }
    /// The directory of the files submitted to Slurm.
    package var slurm: String { path + "/slurm" }

    /// The file with the plan's key, which cluster nodes read (`RunKey`).
    package var key: String { path + "/key" }

    package func log(_ task: Int) -> String { "\(logs)/task-\(task).log" }

    /// The directories in this directory.
    enum Folder: String, CaseIterable {
        case logs, accounting, slurm
    }

    /// Creates the directory and its folders, and checks that only this user or root can write in them. Otherwise
    /// another user could put links in them, and thereby make this user write to any file.
    package func make() throws(MediaError) {
        let directory = try create()
        defer { close(directory) }
        try checkOwner(of: directory, path)
        for folder in Folder.allCases {
            let place = "\(path)/\(folder)"
            guard mkdirat(directory, folder.rawValue, 0o755) == 0 || errno == EEXIST else {
                throw MediaError(errno: errno, "cannot create \(place)")
            }
            close(try open(folder, in: directory))
        }
    }

    /// Opens a file for appending, and creates it if it does not exist. Follows no link of another user.
    func openToAppend(_ name: String, in folder: Folder) throws(MediaError) -> Int32 {
        let place = "\(path)/\(folder)/\(name)"
        let directory = try Self.openDirectory(path) { FileSystem.open(path, $0) }
        defer { close(directory) }
        try checkOwner(of: directory, path)
        let parent = try open(folder, in: directory)
        defer { close(parent) }
        // Without O_NONBLOCK, opening a FIFO would wait for a reader.
        let flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let file = openat(parent, name, flags, 0o644)
        guard file >= 0 else { throw MediaError(errno: errno, "cannot open \(place)") }
        var facts = stat()
        guard fstat(file, &facts) == 0, FileMetadata.isFile(facts), facts.st_uid == geteuid() || facts.st_uid == 0
        else {
            close(file)
            throw MediaError(
                .notPermitted, "cannot open \(place)", reason: "it is not an ordinary file of this user",
                wayOut: "move it elsewhere")
        }
        return file
    }

    /// Creates the directory if it does not exist, and opens it.
    private func create() throws(MediaError) -> Int32 {
        guard mkdir(path, 0o755) == 0 || errno == EEXIST else {
            throw MediaError(errno: errno, "cannot create \(path)")
        }
        return try Self.openDirectory(path) { FileSystem.open(path, $0) }
    }

    private func open(_ folder: Folder, in directory: Int32) throws(MediaError) -> Int32 {
        let place = "\(path)/\(folder)"
        let opened = try Self.openDirectory(place) { openat(directory, folder.rawValue, $0) }
        do throws(MediaError) { try checkOwner(of: opened, place) } catch {
            close(opened)
            throw error
        }
        return opened
    }

    /// Opens a directory. Follows a link only if this user or root owns it.
    ///
    /// - Parameter open: Opens the directory with these flags of open(2).
    private static func openDirectory(_ path: String, _ open: (Int32) -> Int32) throws(MediaError) -> Int32 {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        let opened = open(flags | O_NOFOLLOW)
        guard opened < 0 else { return opened }
        let number = errno
        var facts = stat()
        if number == ELOOP || number == ENOTDIR, lstat(path, &facts) == 0, FileMetadata.isLink(facts),
            facts.st_uid == geteuid() || facts.st_uid == 0
        {
            let followed = open(flags)
            guard followed < 0 else { return followed }
        }
        throw MediaError(errno: number, "cannot open \(path)")
    }

    private func checkOwner(of directory: Int32, _ path: String) throws(MediaError) {
        var facts = stat()
        let action = "cannot use \(path)"
        guard fstat(directory, &facts) == 0 else { throw MediaError(errno: errno, action) }
        try FileMetadata.checkOwner(
            facts, path, action: action, advice: "run the plan as that user, or make your own plan")
    }

    /// Checks that only this user or root can have written the plan and its options, because these files decide which
    /// sources are deleted.
    package func checkOwner(plan: String) throws(MediaError) {
        for path in [plan, path, options] {
            var facts = stat()
            guard lstat(path, &facts) == 0 else {
                if errno == ENOENT, path == options { continue }
                throw MediaError(errno: errno, "cannot delete sources of \(plan)")
            }
            try FileMetadata.checkOwner(facts, path, action: "cannot delete sources of \(plan)")
        }
    }

    /// A file with the reason why the run waits. It exists only while the run waits.
    private var waiting: String { path + "/waiting" }

    package func record(waitsFor reason: String?) {
        guard let reason else {
            unlink(waiting)
            return
        }
        // An error here only makes `status` less precise.
        try? AtomicFile.write(reason.utf8, to: waiting, overwrite: true)
    }

    package var waitsFor: String? {
        FileContents.bytes(of: waiting).map { PlainText.line(String(decoding: $0, as: UTF8.self)) }
    }

    package var isCancelled: Bool { access(cancelled, F_OK) == 0 }

    /// Stops the plan. A user who cannot run it may do that too, if the directory's permissions allow it.
    package func cancel() throws(MediaError) {
        let directory = try create()
        defer { close(directory) }
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let file = openat(directory, cancelled.lastComponent, flags, 0o644)
        guard file >= 0 else { throw MediaError(errno: errno, "cannot create \(cancelled)") }
        close(file)
    }

    package func clearCancellation() { unlink(cancelled) }
}

import Foundation
import Glibc
import TestSupport
import Testing

/// User actions on files and directories that are in use.
extension FaultBench {
    /// The seconds within which the recorder must continue in another file.
    private static let patience = 5.0
    /// The seconds in the file at the fault. They are recorded time, not a time limit.
    private static let recorded = 3.0

    /// Returns the growing file. During a split there are two for a moment.
    private func growingFile() throws -> String {
        var found: [String] = []
        let isOne = eventually {
            found = movies(".recording.").filter { $0.hasPrefix(recordings) }
            return found.count == 1
        }
        try #require(isOne, "these grow: \(found); \(lastMessages)")
        return found[0]
    }

    /// Begins a new file, so that a fault removes little.
    private func beginFile() throws -> String {
        #expect(try recorder.post("split") == 200, "\(lastMessages)")
        let file = try growingFile()
        sleep(Self.recorded)
        return file
    }

    /// - Parameter inode: the previous file's inode. The number and the name of a deleted file may be used again.
    private func expectAnotherFile(than file: String, _ inode: ino_t) {
        let continues = eventually(within: Self.patience) {
            movies(".recording.").contains { $0.hasPrefix(recordings) && ($0 != file || Self.inode($0) != inode) }
        }
        #expect(continues, "no other file grows after \(Self.patience) s: \(lastMessages)")
    }

    /// Returns the identity of a file whatever its name is: its file system and inode.
    static func identity(_ path: String) -> String {
        var status = stat()
        return lstat(path, &status) == 0 ? "\(status.st_dev) \(status.st_ino)" : path
    }

    private static func inode(_ path: String) -> ino_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_ino : 0
    }

    func deleteGrowingFile() throws {
        let file = try beginFile()
        let inode = Self.inode(file)
        account.deletedSeconds += Self.recorded + Self.patience
        #expect(unlink(file) == 0)
        expectAnotherFile(than: file, inode)
    }

    /// Makes a directory next to the recordings that no fault affects.
    private func place(_ name: String) throws -> String {
        for number in 1... {
            let path = "\(disk.mount)/\(name)-\(number)"
            if mkdir(path, 0o755) == 0 { return path }
            try #require(errno == EEXIST, "cannot make \(path)")
        }
        return ""
    }

    func moveGrowingFile() throws {
        let file = try beginFile()
        let inode = Self.inode(file)
        let target = try place("moved") + "/" + URL(fileURLWithPath: file).lastPathComponent
        #expect(rename(file, target) == 0)
        expectAnotherFile(than: file, inode)
    }

    func renameDirectory() throws {
        let file = try beginFile()
        let inode = Self.inode(file)
        let directory = URL(fileURLWithPath: file).deletingLastPathComponent().path
        #expect(rename(directory, try place("renamed")) == 0)
        expectAnotherFile(than: file, inode)
    }

    func removeDirectory() throws {
        let file = try beginFile()
        let inode = Self.inode(file)
        let directory = URL(fileURLWithPath: file).deletingLastPathComponent().path
        // Finished files are moved out of the way first.
        let kept = try place("kept")
        for path in movies() where path.hasPrefix(directory) && !path.contains(".recording.") {
            #expect(rename(path, kept + "/" + URL(fileURLWithPath: path).lastPathComponent) == 0)
        }
        account.deletedSeconds += Self.recorded + Self.patience
        #expect(LabCommand.run("rm -rf \(directory)") == 0)
        expectAnotherFile(than: file, inode)
    }

    /// Runs a second recorder. Both begin files in the same second.
    func runSecondRecorder(for seconds: Double) throws {
        let second = LabRecorder(
            [
                "--camera", "test", "--microphone", "test", "--size", "160x120", "--frame-rate", "25", "--preset",
                "ultrafast", "--output", Self.pattern(disk),
            ], in: disk.place, name: "second")
        defer { second.process.end() }
        try #require(second.waitsForStart(), "\(second.messages)")
        sleep(seconds / 2)
        #expect(try second.post("split") == 200, "\(second.messages)")
        #expect(try recorder.post("split") == 200, "\(lastMessages)")
        sleep(seconds / 2)
        let end = try #require(try second.stop(), "\(second.messages)")
        #expect(second.process.wait() == 0, "\(second.messages)")
        #expect(end.segments.count == 2)
        for segment in end.segments { account.strangers.insert(Self.identity(segment.file)) }
    }
}

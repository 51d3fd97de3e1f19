import Cryptography
import FileSystem
import Foundation
import Glibc
package import MediaTypes

/// The directory in which a copy is made. It is a hidden directory beside the output, on the same file system, so that
/// the finished copy only has to be renamed. The directory's name depends on the output, so the next attempt finds the
/// files that a killed attempt left.
///
/// It contains a file that a running attempt locks. If that file is not locked and was made by an archive, the other
/// files belong to an attempt that was killed, and may be removed. Directories that an archive did not create are left
/// unchanged.
package final class PrivateDirectory: Sendable {
    private static let mark = "recorder archive\n"
    private static let claimName = "claim"

    package let path: RawPath
    private let claim: FileClaim

    /// Returns the directory's path for an output.
    package static func path(for output: RawPath) -> RawPath {
        output.directory.appending(".archive-" + SHA256.hash(data: Data(output.name)).prefix(8).hexadecimal)
    }

    /// Locks the directory, and removes the files that a killed attempt left in it.
    ///
    /// - Throws: `busy` if another attempt is running, or `outputExists` if another file or directory has that name.
    package convenience init(for output: RawPath) throws(MediaError) {
        try self.init(at: Self.path(for: output), action: "cannot work next to \(output.display)")
    }

    private init(at place: RawPath, action: String) throws(MediaError) {
        path = place
        while true {
            guard path.withCString({ mkdir($0, 0o700) }) == 0 || errno == EEXIST else {
                throw MediaError(errno: errno, action)
            }
            guard let facts = FileMetadata.of(path) else { continue }
            let names = try Self.names(path, action)
            let foreign = MediaError(
                .outputExists, action, reason: "\(path.display) exists, and `recorder archive` did not create it",
                wayOut: "move it away")
            guard FileMetadata.isDirectory(facts), facts.st_uid == geteuid() else { throw foreign }
            // Only a directory that an archive created contains the claim. An empty directory can be used safely.
            guard names.isEmpty || names.contains(Self.claimName) else { throw foreign }
            do throws(FileClaim.Failure) {
                claim = try FileClaim(path.appending(Self.claimName))
            } catch {
                switch error {
                case .held:
                    throw MediaError(
                        .busy, action, reason: "another attempt is working on it",
                        wayOut: "it is retried automatically")
                case .failed(let error):
                    // The previous owner has just removed the directory.
                    if error.code == .notFound, FileMetadata.of(path) == nil { continue }
                    throw error
                }
            }
            let content = claim.content
            guard content.hasPrefix(Self.mark) || content.isEmpty && names.filter({ $0 != Self.claimName }).isEmpty
            else { throw foreign }
            break
        }
        claim.write(Self.mark + "\(Accounting.thisHost) \(getpid())\n")
        try empty(action)
    }

    /// Returns the path of the copy in this directory.
    package func movie(ending: String) -> RawPath { path.appending(Self.name(ending: ending)) }

    /// Returns the name of the copy in a private directory.
    static func name(ending: String) -> String { "\(EarlierName.movie.rawValue).\(ending)" }

    /// Renames a file of this directory to the output's name, unless that name is taken.
    ///
    /// - Returns: false if the name is taken.
    package func publish(_ movie: RawPath, as output: RawPath) throws(MediaError) -> Bool {
        if renameExclusively(PathText.text(movie.bytes), PathText.text(output.bytes)) == 0 { return true }
        if errno == EEXIST { return false }
        throw MediaError(errno: errno, "cannot create \(output.display)")
    }

    /// Renames a file of this directory to the output's name, and replaces the file that has that name.
    ///
    /// Used only for a part of a movie, because parts are stored in a separate directory that only archives write to.
    /// The replaced file never belongs to a running attempt, because an attempt uses the output's name only while it
    /// has locked this directory.
    package func replace(_ output: RawPath, with movie: RawPath) throws(MediaError) {
        guard movie.withCString({ from in output.withCString { rename(from, $0) } }) == 0 else {
            throw MediaError(errno: errno, "cannot replace \(output.display)")
        }
    }

    /// Removes the directory and all files in it.
    package func remove() {
        try? empty("")
        claim.remove()
        _ = path.withCString { rmdir($0) }
    }

    /// Removes the directories of killed attempts from a directory that is only used for such directories. Those of
    /// running attempts are kept.
    package static func sweep(_ directory: RawPath) {
        guard let names = try? names(directory, "") else { return }
        for name in names where name.hasPrefix(".archive-") {
            (try? PrivateDirectory(at: directory.appending(name), action: ""))?.remove()
        }
    }

    private func empty(_ action: String) throws(MediaError) {
        for name in try Self.names(path, action) where name != Self.claimName {
            guard path.appending(name).withCString({ unlink($0) }) == 0 || errno == ENOENT else {
                throw MediaError(errno: errno, "cannot delete \(path.appending(name).display)")
            }
        }
    }

    /// Returns the names in a directory; empty if it cannot be read.
    static func names(_ path: RawPath) -> [String] { (try? names(path, "")) ?? [] }

    private static func names(_ path: RawPath, _ action: String) throws(MediaError) -> [String] {
        // The directory's path may not be UTF-8, but this program has chosen the names in the directory.
        guard let stream = path.withCString({ opendir($0) }) else {
            if errno == ENOENT { return [] }
            throw MediaError(errno: errno, action)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = FolderContents.next(in: stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        guard errno == 0 else { throw MediaError(errno: errno, action) }
        return names
    }
}

import CLinux
import Crypto
import FileSystem
import Foundation
import Glibc
package import MediaTypes

/// Where a copy is made: a hidden directory beside the output, on its file system, so that the finished copy only needs its
/// name. It is called after the output, and so the next attempt finds what a killed one left.
///
/// In it lies a file that the living attempt holds. Whoever finds that free, and made by an archive, knows that the rest is
/// a dead attempt's and may go; anything else is left alone.
package final class PrivateDirectory: Sendable {
    private static let mark = "recorder archive\n"
    private static let claimName = "claim"

    package let path: RawPath
    private let claim: FileClaim

    /// What the directory of an output is called.
    package static func path(for output: RawPath) -> RawPath {
        output.directory.appending(".archive-" + SHA256.hash(data: Data(output.name)).prefix(8).hexadecimal)
    }

    /// Takes it, and removes what a dead attempt left in it.
    ///
    /// - Throws: `busy` where an attempt lives; `outputExists` where something has that name which is not ours.
    package convenience init(for output: RawPath) throws(MediaError) {
        try self.init(at: Self.path(for: output), action: "cannot work beside \(output.display)")
    }

    private init(at place: RawPath, action: String) throws(MediaError) {
        path = place
        while true {
            guard path.withCString({ mkdir($0, 0o700) }) == 0 || errno == EEXIST else {
                throw MediaError(errno: errno, action)
            }
            guard let facts = FileFacts.of(path) else { continue }
            let names = try Self.names(path, action)
            let foreign = MediaError(
                .outputExists, action, reason: "\(path.display) is there, and no archive made it",
                wayOut: "move it away")
            guard FileFacts.isDirectory(facts), facts.st_uid == geteuid() else { throw foreign }
            // Only an archive's directory has the claim; and an empty one is nobody's loss.
            guard names.isEmpty || names.contains(Self.claimName) else { throw foreign }
            do throws(FileClaim.Failure) {
                claim = try FileClaim(path.appending(Self.claimName))
            } catch {
                switch error {
                case .held:
                    throw MediaError(
                        .busy, action, reason: "another attempt is at it", wayOut: "it is tried again")
                case .failed(let error):
                    // Whoever had it removed it at this moment.
                    if error.code == .notFound, FileFacts.of(path) == nil { continue }
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

    /// The copy's name in it, of an output.
    package func film(ending: String) -> RawPath { path.appending("film.\(ending)") }

    /// Gives a file in it the output's name.
    ///
    /// - Returns: false where the name is taken.
    package func publish(_ film: RawPath, as output: RawPath) throws(MediaError) -> Bool {
        let code = film.withCString { from in output.withCString { clinux_rename_exclusive(from, $0) } }
        if code == 0 { return true }
        var number = errno
        // File systems without an exclusive rename get a second name, which never replaces either.
        if number == EINVAL || number == ENOSYS {
            if film.withCString({ from in output.withCString { link(from, $0) } }) == 0 {
                _ = film.withCString { unlink($0) }
                return true
            }
            number = errno
        }
        if number == EEXIST { return false }
        throw MediaError(errno: number, "cannot create \(output.display)")
    }

    /// Takes it away with everything in it.
    package func remove() {
        try? empty("")
        claim.remove()
        _ = path.withCString { rmdir($0) }
    }

    /// Takes away what dead attempts left in a directory that is for such places alone; those that live stay.
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

    /// As far as they can be read.
    static func names(_ path: RawPath) -> [String] { (try? names(path, "")) ?? [] }

    private static func names(_ path: RawPath, _ action: String) throws(MediaError) -> [String] {
        // Its directory's name need not be text; those in it are ours.
        guard let stream = path.withCString({ opendir($0) }) else {
            if errno == ENOENT { return [] }
            throw MediaError(errno: errno, action)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

import Crypto
import Foundation
import Glibc
import MediaTypes

/// Where the parts of a film lie until they are joined: a hidden directory beside the copy, on its file system, which every node
/// sees. It goes once the copy has its name and is on the disk.
///
/// A part is called after everything that it depends on, so that one which another plan or another version made is in nobody's way.
package struct PartsDirectory: Sendable {
    package let path: RawPath

    package init(for output: RawPath) {
        path = output.directory.appending(
            ".archive-" + SHA256.hash(data: Data(output.name)).prefix(8).hexadecimal + ".parts")
    }

    package func part(_ fingerprint: String) -> RawPath { path.appending(fingerprint.prefix(32) + ".mov") }

    /// Takes it away with all parts, whoever made them. What else somebody put there stays, and so does the directory then.
    package func remove() {
        guard let facts = FileFacts.of(path), FileFacts.isDirectory(facts), facts.st_uid == geteuid() else { return }
        PrivateDirectory.sweep(path)
        for name in PrivateDirectory.names(path) where Self.isPart(name) {
            _ = path.appending(name).withCString { unlink($0) }
        }
        _ = path.withCString { rmdir($0) }
    }

    private static func isPart(_ name: String) -> Bool {
        let digits = name.dropLast(4)
        return name.hasSuffix(".mov") && digits.count == 32 && digits.allSatisfy(\.isHexDigit)
    }
}

extension ArchivePlan.Task {
    /// What says that a file is this part of this film: as a copy's fingerprint, with what part it is.
    func partFingerprint(_ header: ArchivePlan.Header) -> String? {
        guard let film = films.first else { return nil }
        let part: String
        switch work {
        case .films, .join: return nil
        case .sound: part = "sound"
        case .pictures(let from, let to):
            part = "pictures \(PlanTime.text(from)) \(to.map(PlanTime.text) ?? "end")"
        }
        let whole = (film.settings ?? header.settings).fingerprint(of: film.identity, program: header.program)
        return SHA256.hash(data: Data("\(whole)\0\(part)".utf8)).hexadecimal
    }

    /// Where the part is once it was made; nil for a task that makes copies.
    func partFile(_ header: ArchivePlan.Header) -> RawPath? {
        guard let film = films.first, let fingerprint = partFingerprint(header) else { return nil }
        return PartsDirectory(for: film.output).part(fingerprint)
    }
}

import Cryptography
import Foundation
import Glibc
import MediaTypes

/// The directory of a movie's parts until they are joined. It is a hidden directory beside the copy, on the same file
/// system, to which every node has access. It is removed once the copy has its name and is synced to the disk.
///
/// A part's name depends on everything that determines its content, so parts of another plan or version do not
/// conflict.
package struct PartsDirectory: Sendable {
    package let path: RawPath

    package init(for output: RawPath) {
        path = output.directory.appending(
            ".archive-" + SHA256.hash(data: Data(output.name)).prefix(8).hexadecimal + ".parts")
    }

    package func part(_ fingerprint: String) -> RawPath { path.appending(fingerprint.prefix(32) + ".mov") }

    /// Removes the directory with all parts, including those of other workers. The directory is kept if it contains
    /// other files.
    package func remove() {
        guard let facts = FileMetadata.of(path), FileMetadata.isDirectory(facts), facts.st_uid == geteuid() else {
            return
        }
        PrivateDirectory.sweep(path)
        for name in PrivateDirectory.names(path) where Self.isPart(name) {
            _ = path.appending(name).withCString { unlink($0) }
        }
        _ = path.withCString { rmdir($0) }
    }

    private static func isPart(_ name: String) -> Bool {
        let part = name.hasSuffix(PartLosses.ending) ? name.dropLast(PartLosses.ending.count) : name[...]
        let digits = part.dropLast(4)
        return part.hasSuffix(".mov") && digits.count == 32 && digits.allSatisfy(\.isHexDigit)
    }
}

extension ArchivePlan.Task {
    /// Returns the fingerprint that identifies a file as this part of this movie. It is computed from the copy's
    /// fingerprint and the part.
    func partFingerprint(_ header: ArchivePlan.Header) -> String? {
        guard let movie = movies.first else { return nil }
        let part: String
        switch work {
        case .movies, .join: return nil
        case .audio: part = EarlierName.audio.rawValue
        case .frames(let from, let to):
            part = "\(EarlierName.frames.rawValue) \(PlanTime.text(from)) \(to.map(PlanTime.text) ?? "end")"
        }
        let whole = (movie.settings ?? header.settings).fingerprint(of: movie.identity, program: header.program)
        return SHA256.hash(data: Data("\(whole)\0\(part)".utf8)).hexadecimal
    }

    /// Returns the path of the finished part; nil for a task that makes complete copies.
    func partFile(_ header: ArchivePlan.Header) -> RawPath? {
        guard let movie = movies.first, let fingerprint = partFingerprint(header) else { return nil }
        return PartsDirectory(for: movie.output).part(fingerprint)
    }
}

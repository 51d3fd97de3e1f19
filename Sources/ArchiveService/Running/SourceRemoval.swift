import CommandInterface
import Foundation
package import MediaTypes
package import RecorderService

/// Deletes sources whose copies are safe, for whoever asked for it with `--replace`.
///
/// Done where the plan is run, never by a node: only this machine knows what its recorders still need. What a recorder made is
/// its owner's rules' (`OwnerRemoval`): nothing that is recorded, torn, on two disks of which one is not whole, or still to be copied.
package struct SourceRemoval {
    private let recordings: OwnerRemoval

    package init(_ recordings: OwnerRemoval = OwnerRemoval()) { self.recordings = recordings }

    /// - Parameter fingerprint: what must stand in the copy.
    /// - Returns: whether it was deleted; false where it is gone already.
    /// - Throws: why it stays.
    package func remove(_ film: ArchivePlan.Film, fingerprint: String) throws(MediaError) -> Bool {
        let action = "cannot delete \(film.source.display)"
        let copy = try BorrowedPath(film.output)
        guard FilmEncoder.fingerprint(of: copy.url) == fingerprint else {
            throw MediaError(.invalidState, action, reason: "its copy is not there")
        }
        withExtendedLifetime(copy) {}
        // Also where an earlier attempt gave the copy its name, and died before it told the disk.
        try FileFacts.synchronize(film.output)
        try FileFacts.synchronize(film.output.directory)
        guard let facts = FileFacts.of(film.source) else { return false }
        guard film.identity.isSame(facts) else {
            throw MediaError(.invalidState, action, reason: "it changed after the plan was made")
        }
        let copyFacts = FileFacts.of(film.output)
        guard let copyFacts, copyFacts.st_ino != facts.st_ino || copyFacts.st_dev != facts.st_dev else {
            throw MediaError(.invalidState, action, reason: "it is its own copy")
        }
        if let path = film.source.text, try recordings.isRecorded(path) {
            try recordings.delete(try recordings.plan(path))
            return true
        }
        guard OutputLocation.finalPath(of: String(decoding: film.source.bytes, as: UTF8.self)) == nil else {
            throw MediaError(.busy, action, reason: "it is being recorded, or was not finished")
        }
        guard film.source.withCString({ unlink($0) }) == 0 else { throw MediaError(errno: errno, action) }
        return true
    }
}

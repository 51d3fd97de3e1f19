import CommandInterface
import Foundation
package import MediaTypes
import MovieFile
package import RecorderService

/// Deletes sources whose copies are safe, for whoever asked for it with `--replace`.
///
/// A source goes only on the receipt of a task of this plan that encoded and verified the copy, and only when the copy still is what
/// was verified and the source still is what was read, byte by byte: both are read again, from the disk. A copy that merely carries
/// the right fingerprint proves nothing, because a fingerprint is made of public facts.
///
/// Done where the plan is run, never by a node: only this machine knows what its recorders still need. What a recorder made is
/// subject to its owner's rules (`OwnerRemoval`): nothing that is recorded, torn, on two disks of which one is not whole, or still
/// to be copied.
package struct SourceRemoval: Sendable {
    private let recordings: OwnerRemoval
    private let key: RunKey
    private let boot: String

    /// - Parameter boot: which boot of this machine it is: `device` of a receipt means something only during the same.
    package init(_ recordings: OwnerRemoval = OwnerRemoval(), key: RunKey, boot: String = Moment.now().boot) {
        (self.recordings, self.key, self.boot) = (recordings, key, boot)
    }

    /// - Parameters:
    ///   - fingerprint: of the film and its settings.
    ///   - receipts: those that name the film, genuine or not.
    ///   - isWanted: asked while files are read.
    /// - Returns: whether it was deleted; false where it is gone already.
    /// - Throws: why it stays: `corruptData` where the copy is not what was verified; `cancelled`.
    package func remove(
        _ film: ArchivePlan.Film, fingerprint: String, receipts: [CopyReceipt],
        isWanted: () -> Bool = { true }
    ) throws(MediaError) -> Bool {
        let action = "cannot delete \(film.source.display)"
        guard FileFacts.of(film.source) != nil else { return false }
        let genuine = receipts.filter {
            $0.source.path == film.source.planText && $0.output == film.output.planText
                && $0.fingerprint == fingerprint && key.isGenuine($0)
        }
        guard !genuine.isEmpty else {
            throw MediaError(
                .notPermitted, action,
                reason: "no run of this plan by this user is on record as having made and verified its copy",
                wayOut: "move the copy away and run the plan again, or compare the two with "
                    + "`recorder verify --against` and delete the source yourself")
        }
        let source = try HeldFile(film.source)
        let facts = try source.facts()
        guard film.identity.isSame(facts) else {
            throw MediaError(.invalidState, action, reason: "it changed after the plan was made")
        }
        let plan = try ownersPlan(film.source, action)
        let receipt = try judgeCopy(film, genuine, facts, action, isWanted)
        try judgeSource(source, facts, receipt, action, isWanted)
        try delete(film.source, plan, facts, action)
        return true
    }

    /// What the rules of the recorder that made it say; nil for a movie that no recorder made.
    private func ownersPlan(_ source: RawPath, _ action: String) throws(MediaError) -> OwnerRemoval.Plan? {
        if let path = source.text, try recordings.isRecorded(path) { return try recordings.plan(path) }
        guard OutputLocation.finalPath(of: String(decoding: source.bytes, as: UTF8.self)) == nil else {
            throw MediaError(.busy, action, reason: "it is being recorded, or was not finished")
        }
        return nil
    }

    /// - Returns: the receipt of the very bytes that are on the disk.
    private func judgeCopy(
        _ film: ArchivePlan.Film, _ receipts: [CopyReceipt], _ source: stat, _ action: String, _ isWanted: () -> Bool
    ) throws(MediaError) -> CopyReceipt {
        guard FileFacts.of(film.output) != nil else {
            throw MediaError(
                .corruptData, action, reason: "its copy, \(film.output.display), is not there",
                wayOut: "run the plan again")
        }
        let copy = try HeldFile(film.output)
        let facts = try copy.facts()
        guard facts.st_ino != source.st_ino || facts.st_dev != source.st_dev else {
            throw MediaError(.invalidState, action, reason: "it is its own copy")
        }
        // Also where an earlier attempt gave the copy its name, and died before it told the disk.
        try FileFacts.synchronize(film.output)
        try FileFacts.synchronize(film.output.directory)
        copy.forgetContent()
        let hash = try copy.hash(isWanted: isWanted)
        guard let receipt = receipts.last(where: { $0.hash == hash && $0.size == Int64(facts.st_size) }),
            let named = FileFacts.of(film.output), Self.isSame(named, facts)
        else {
            throw MediaError(
                .corruptData, action,
                reason: "its copy, \(film.output.display), is not what was verified: it was damaged or changed since",
                wayOut: "move the copy away, and run the plan again")
        }
        return receipt
    }

    private func judgeSource(
        _ source: HeldFile, _ facts: stat, _ receipt: CopyReceipt, _ action: String, _ isWanted: () -> Bool
    ) throws(MediaError) {
        let read = receipt.source
        let identity = SourceIdentity(facts)
        guard (read.inode, read.size, read.modified) == (identity.inode, identity.size, identity.modified),
            read.boot != boot || read.device == UInt64(facts.st_dev),
            try source.hash(isWanted: isWanted) == read.hash, Self.isUntouched(try source.facts(), facts)
        else {
            throw MediaError(.invalidState, action, reason: "it is not the file that its copy was made of")
        }
    }

    private func delete(
        _ source: RawPath, _ plan: OwnerRemoval.Plan?, _ facts: stat, _ action: String
    ) throws(MediaError) {
        if let plan { return try recordings.delete(plan) { Self.isSame($0, facts) } }
        let directory = source.directory.withCString { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard directory >= 0 else { throw MediaError(errno: errno, action) }
        defer { close(directory) }
        let outcome = try CheckedRemoval.remove(source.name, in: directory, place: source.display) {
            Self.isSame($0, facts)
        }
        guard outcome == .removed else {
            throw MediaError(.invalidState, action, reason: "another file has its name by now")
        }
    }

    private static func isSame(_ found: CheckedRemoval.Facts, _ facts: stat) -> Bool {
        let identity = SourceIdentity(facts)
        return found.isFile && found.device == UInt64(facts.st_dev)
            && (found.inode, found.size, found.modified) == (identity.inode, identity.size, identity.modified)
    }

    /// Renaming changes the time of the last change of the inode; nothing else of this.
    private static func isSame(_ one: stat, _ other: stat) -> Bool {
        one.st_dev == other.st_dev && SourceIdentity(other).isSame(one)
    }

    /// As `isSame`, and nobody wrote to it, whatever times were set afterwards (inode(7), `ctime`).
    private static func isUntouched(_ one: stat, _ other: stat) -> Bool {
        isSame(one, other) && one.st_ctim.tv_sec == other.st_ctim.tv_sec
            && one.st_ctim.tv_nsec == other.st_ctim.tv_nsec
    }
}

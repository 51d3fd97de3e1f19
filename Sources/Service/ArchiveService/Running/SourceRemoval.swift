import CommandInterface
import FileSystem
import Foundation
package import MediaTypes
import MovieFile
import RecorderControl
package import RecorderStorage

/// Deletes sources whose copies are safe, as requested with `--replace`.
///
/// A source is deleted only with the receipt of a task of this plan that encoded and verified the copy. In addition,
/// both files are read again from the disk. Every byte of the copy must be the same as when it was verified, and every
/// byte of the source the same as when it was encoded. A fingerprint alone does not prove that a copy is right, because
/// anyone can compute fingerprints.
///
/// A source is kept if its copy lacks something, such as subtitles or a signature, unless the user accepts that. The
/// receipt says what the copy lacks.
///
/// Only the machine that runs the plan deletes sources. A cluster node does not know which files the recorders of this
/// machine still need. Recordings are subject to their owner's rules (`OwnerRemoval`). A file is kept if it is being
/// recorded or unfinished, if one of its mirrored files is incomplete, or if it must still be copied. A movie that
/// `recorder keep` protects is not deleted either, even if no recorder made it.
package struct SourceRemoval: Sendable {
    private let recordings: OwnerRemoval
    private let others: @Sendable (UInt32) -> [StateDirectory]
    private let key: RunKey
    private let boot: String
    private let acceptsLosses: Bool

    /// Creates a removal.
    ///
    /// - Parameters:
    ///   - recordings: The recordings of this user.
    ///   - others: Returns the state directories of other users' recorders that may have made a file of a user.
    ///   - acceptsLosses: True to delete sources even if their copies lack something.
    ///   - boot: The current boot of this machine. The `device` of a receipt is valid only during the same boot.
    package init(
        _ recordings: OwnerRemoval = OwnerRemoval(),
        others: @escaping @Sendable (UInt32) -> [StateDirectory] = SourceRemoval.statesOfOthers, key: RunKey,
        acceptsLosses: Bool = false, boot: String = Moment.now().boot
    ) {
        (self.recordings, self.others, self.key) = (recordings, others, key)
        (self.acceptsLosses, self.boot) = (acceptsLosses, boot)
    }

    /// Returns the state directories of the service and of a file's owner.
    @Sendable package static func statesOfOthers(_ owner: UInt32) -> [StateDirectory] {
        let service = StateDirectory(environment: ["XDG_STATE_HOME": "/var/lib"])
        guard owner != geteuid(), let home = ProcessText.homeDirectory(of: owner) else { return [service] }
        return [service, StateDirectory(environment: ["HOME": home])]
    }

    /// Deletes a source if it is safe to do so.
    ///
    /// - Parameters:
    ///   - fingerprint: The fingerprint of the movie and its settings.
    ///   - receipts: The receipts for the movie. They may be forged.
    ///   - isWanted: Called while files are read. Returns false to cancel.
    /// - Returns: true if the source was deleted; false if it did not exist any more.
    /// - Throws: The reason why the source is kept, such as `corruptData` if the copy is not the verified file, or
    ///   `cancelled`.
    package func remove(
        _ movie: ArchivePlan.Movie, fingerprint: String, receipts: [TranscodeReceipt],
        isWanted: () -> Bool = { true }
    ) throws(MediaError) -> Bool {
        let action = "cannot delete \(movie.source.display)"
        guard FileMetadata.of(movie.source) != nil else { return false }
        let genuine = receipts.filter {
            $0.source.path == movie.source.planText && $0.output == movie.output.planText
                && $0.fingerprint == fingerprint && key.isGenuine($0)
        }
        guard !genuine.isEmpty else {
            throw MediaError(
                .notPermitted, action,
                reason: "no receipt shows that this user made and verified its copy with this plan",
                wayOut: "move the copy away and run the plan again, or compare the two with "
                    + "`recorder verify --against` and delete the source yourself")
        }
        // Two files need not be read if no receipt allows the deletion.
        if let last = genuine.last, genuine.allSatisfy({ !isComplete($0) }) { throw Self.incomplete(last, action) }
        let source = try HeldFile(movie.source)
        let facts = try source.facts()
        guard movie.identity.isSame(facts) else {
            throw MediaError(
                .invalidState, action, reason: "it changed after the plan was made", wayOut: "make a new plan")
        }
        let plan = try ownersPlan(movie.source, facts, action)
        let receipt = try judgeCopy(movie, genuine, facts, action, isWanted)
        guard isComplete(receipt) else { throw Self.incomplete(receipt, action) }
        try judgeSource(source, facts, receipt, action, isWanted)
        try delete(movie.source, plan, facts, action)
        return true
    }

    private func isComplete(_ receipt: TranscodeReceipt) -> Bool { acceptsLosses || receipt.leftOut.isEmpty }

    private static func incomplete(_ receipt: TranscodeReceipt, _ action: String) -> MediaError {
        MediaError(
            .notPermitted, action, reason: "its copy lacks " + receipt.leftOut.joined(separator: "; "),
            wayOut: "run the plan with --replace-incomplete to delete it nevertheless")
    }

    /// A removal according to the rules of the recorder that made the source.
    private struct OwnersPlan {
        let recordings: OwnerRemoval
        let plan: OwnerRemoval.Plan
    }

    /// Returns the removal plan according to the recorder's rules; nil for a movie that no recorder made.
    private func ownersPlan(
        _ source: RawPath, _ facts: stat, _ action: String
    ) throws(MediaError) -> OwnersPlan? {
        let path = PathText.text(source.bytes)
        for recordings in [recordings] + (try recordingsOfOthers(facts, action)) {
            if try recordings.isRecorded(path) {
                return OwnersPlan(recordings: recordings, plan: try recordings.plan(path))
            }
        }
        guard OutputLocation.finalPath(of: path) == nil else {
            throw MediaError(
                .busy, action, reason: "it is being recorded, or a crash left it unfinished",
                wayOut: "after a crash, `recorder repair` finalizes it")
        }
        guard !RecordingPins.isKept(path) else { throw Self.kept(source, action) }
        return nil
    }

    /// Returns the recordings of other users that may include the source.
    ///
    /// - Throws: An error if they are unknown: a source of another user may be a recording that still waits for its
    ///   copy.
    private func recordingsOfOthers(_ facts: stat, _ action: String) throws(MediaError) -> [OwnerRemoval] {
        var found: [OwnerRemoval] = []
        for state in others(facts.st_uid) {
            if FolderContents.names(in: state.path) != nil {
                found.append(OwnerRemoval(in: state))
            } else if errno != ENOENT, errno != ENOTDIR, facts.st_uid != geteuid() {
                throw MediaError(
                    errno: errno, "\(action), which belongs to another user: cannot read \(state.path)",
                    wayOut: "run the plan as that user or as root")
            }
        }
        return found
    }

    /// Checks the copy.
    ///
    /// - Returns: The receipt for exactly the bytes that are on the disk.
    private func judgeCopy(
        _ movie: ArchivePlan.Movie, _ receipts: [TranscodeReceipt], _ source: stat, _ action: String,
        _ isWanted: () -> Bool
    ) throws(MediaError) -> TranscodeReceipt {
        guard FileMetadata.of(movie.output) != nil else {
            throw MediaError(
                .corruptData, action, reason: "its copy, \(movie.output.display), does not exist",
                wayOut: "run the plan again")
        }
        let copy = try HeldFile(movie.output)
        let facts = try copy.facts()
        guard facts.st_ino != source.st_ino || facts.st_dev != source.st_dev else {
            throw MediaError(.invalidState, action, reason: "source and copy are the same file")
        }
        // An earlier attempt may have given the copy its name, and been killed before syncing it.
        try FileMetadata.synchronize(movie.output)
        try FileMetadata.synchronize(movie.output.directory)
        copy.forgetContent()
        let hash = try copy.hash(isWanted: isWanted)
        guard let receipt = receipts.last(where: { $0.hash == hash && $0.size == Int64(facts.st_size) }),
            let named = FileMetadata.of(movie.output), Self.isSame(named, facts)
        else {
            throw MediaError(
                .corruptData, action,
                reason: "its copy, \(movie.output.display), is not the verified file: it was damaged or changed since",
                wayOut: "move the copy away, and run the plan again")
        }
        return receipt
    }

    private func judgeSource(
        _ source: HeldFile, _ facts: stat, _ receipt: TranscodeReceipt, _ action: String, _ isWanted: () -> Bool
    ) throws(MediaError) {
        let read = receipt.source
        let identity = SourceIdentity(facts)
        guard (read.inode, read.size, read.modified) == (identity.inode, identity.size, identity.modified),
            read.boot != boot || read.device == UInt64(facts.st_dev),
            try source.hash(isWanted: isWanted) == read.hash, Self.isUntouched(try source.facts(), facts)
        else {
            throw MediaError(.invalidState, action, reason: "it is not the file that its copy was made from")
        }
    }

    private func delete(
        _ source: RawPath, _ plan: OwnersPlan?, _ facts: stat, _ action: String
    ) throws(MediaError) {
        if let plan { return try plan.recordings.delete(plan.plan) { Self.isSame($0, facts) } }
        let directory = source.directory.withCString { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard directory >= 0 else { throw MediaError(errno: errno, action) }
        defer { close(directory) }
        var isKept = false
        let outcome = try CheckedRemoval.remove(source.name, in: directory, place: source.display) {
            isKept = RecordingPins.isKept(PathText.text(source.bytes), in: directory)
            return !isKept && Self.isSame($0, facts)
        }
        guard !isKept else { throw Self.kept(source, action) }
        guard outcome == .removed else {
            throw MediaError(.invalidState, action, reason: "another file has taken its name")
        }
    }

    private static func kept(_ source: RawPath, _ action: String) -> MediaError {
        MediaError(
            .notPermitted, action, reason: "`recorder keep` protects it",
            wayOut: "run `recorder unkeep \(source.display)` first")
    }

    private static func isSame(_ found: CheckedRemoval.Candidate, _ facts: stat) -> Bool {
        let identity = SourceIdentity(facts)
        return found.isFile && found.device == UInt64(facts.st_dev)
            && (found.inode, found.size, found.modified) == (identity.inode, identity.size, identity.modified)
    }

    /// Returns true if `one` and `other` describe the same file. Ignores the change time of the inode, because renaming
    /// changes it.
    private static func isSame(_ one: stat, _ other: stat) -> Bool {
        one.st_dev == other.st_dev && SourceIdentity(other).isSame(one)
    }

    /// Returns true if `one` and `other` describe the same file, and the file was not written between the two queries.
    /// Compares the change time (inode(7), `ctime`), because a program can reset the modification time after a write.
    private static func isUntouched(_ one: stat, _ other: stat) -> Bool {
        isSame(one, other) && one.st_ctim.tv_sec == other.st_ctim.tv_sec
            && one.st_ctim.tv_nsec == other.st_ctim.tv_nsec
    }
}

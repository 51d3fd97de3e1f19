import RecorderStorage

/// The catalogues of a session's finished files, one for each disk, and the rules that delete the oldest. Thread-safe.
struct SessionCatalogues: Sendable {
    private let retention: Retention?
    /// The catalogue of the second mirrored files.
    private let mirrorRetention: Retention?
    private let copies: CopyWatch?
    private let files: SessionFiles

    /// Creates the catalogues.
    ///
    /// - Parameters:
    ///   - retention: The retention, which catalogues finished files and deletes the oldest.
    ///   - mirrorRetention: The same for the second mirrored files.
    ///   - copies: The watch that knows which files have been copied.
    init(_ retention: Retention?, mirror mirrorRetention: Retention?, copies: CopyWatch?, _ files: SessionFiles) {
        self.retention = retention
        self.mirrorRetention = mirrorRetention
        self.copies = copies
        self.files = files
    }

    /// The consequence of a list of unfinished files that cannot be written; nil if there is none.
    var problem: String? {
        files.unfinished?.problem.map { "after a crash, this file will not be repaired automatically: \($0)" }
    }

    /// True if finished files are catalogued.
    var isKept: Bool { retention != nil }

    /// The directory that contains all first mirrored files, and the one that contains all second mirrored files. An
    /// element is nil if there is no such directory.
    var roots: [String?] { [files.root, files.mirror?.directory] }

    func account(_ rules: RetentionRules) -> RetentionAccount? { retention?.account(rules) }
    func account(_ settings: CopySettings) -> CopyAccount? { copies?.account(settings) }

    /// The kept recordings, with a warning about either disk; nil before they are counted.
    var kept: KeptAccount? {
        guard var kept = retention?.kept else { return nil }
        kept.warning = kept.warning ?? mirrorRetention?.kept?.warning
        return kept
    }

    // MARK: Calls that access the disks

    /// Enters a finished file.
    ///
    /// - Parameter entered: The path under which the file is listed as unfinished. The file is removed from that list
    ///   only after it was entered in the catalogue, so that a crash between the two steps loses no file.
    func enter(_ path: String, _ entered: String?, below root: String?, _ account: FinishedRecording.Account) {
        let files = files
        retention?.enter(path, root: root, account) { if let entered { files.leave(entered) } }
    }

    /// Enters complete mirrored files, by their index. If both are complete, the recording is removed from the list of
    /// incomplete ones.
    func enter(
        _ file: MirroredFiles.File, _ indices: [Int], below roots: [String?], _ account: FinishedRecording.Account
    ) {
        let retentions = [retention, mirrorRetention]
        for index in indices {
            guard let path = file.whole[index] else { continue }
            retentions[index]?.enter(path, root: roots[index], account) {}
        }
        if file.whole.count == 2 { files.mirrored?.leave(file.recording) }
    }

    /// Completes the mirrored files of earlier recordings whose two disks are both present, and enters them.
    ///
    /// - Parameter open: The recordings that are being written.
    func completeMirrored(but open: Set<MirroredRecording>, below roots: [String?]) {
        guard let mirrored = files.mirrored else { return }
        let retentions = [retention, mirrorRetention]
        mirrored.enterMissing()
        mirrored.complete(but: open) { path, index in
            retentions[index]?.enterRepaired(path, below: roots[index], like: retentions[1 - index])
        }
    }

    /// Deletes recordings by the user's rules.
    ///
    /// - Parameters:
    ///   - location: The location of the file that is being written. That file is never deleted.
    ///   - reserve: The free bytes at which a recording ends.
    func apply(_ rules: RetentionRules, inUse location: OutputLocation, reserve: Int64) {
        guard let retention else { return }
        let mirror = files.mirror
        if let mirror, let remote = rules.hold?.remote {
            mirrorRetention?.recordCopies(of: retention, on: mirror, remote: remote)
        }
        _ = retention.apply(rules, inUse: [location.temporaryPath], reserve: reserve)
        guard let mirror else { return }
        _ = mirrorRetention?.apply(
            rules, inUse: [mirror.location(of: location).temporaryPath], reserve: reserve)
    }
}

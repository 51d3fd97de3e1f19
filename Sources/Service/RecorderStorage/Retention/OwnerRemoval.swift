import FileSystem
import Foundation
package import MediaTypes
package import MovieFile

/// Deletes finished recordings at the user's request, whether a recorder is running or not.
///
/// Deletes only files that a catalogue lists and that have not changed since. Does not delete a file that is being
/// written, whose mirrored file is incomplete, or that still has to be copied to another machine. Deletes a kept file
/// (`OwnerPins`) only if the owner asks for that. A recording on two disks is deleted from both; otherwise the mirror
/// would complete it again from the remaining file. Thread-safe; the calls access the disk.
package struct OwnerRemoval: Sendable {
    /// The files to delete.
    package struct Plan: Sendable {
        package let name: RecordingName
        /// The absolute path, as it is in the catalogue.
        package var file: String { recording.path }
        package var bytes: Int64 { recording.identity.size }
        /// The path of the second mirrored file; nil if there is none.
        package var copy: String? { second?.path }
        /// True if the recording is kept, but the owner asked to delete it nevertheless.
        package let isKept: Bool
        fileprivate let recording: FinishedRecording
        fileprivate let second: FinishedRecording?
        fileprivate let evenKept: Bool
    }

    let state: StateDirectory
    let recorders: @Sendable () -> [RecordingName]
    let configuration: @Sendable (RecordingName) throws(MediaError) -> RecordingConfiguration

    /// Creates a value for one user's recorders.
    ///
    /// - Parameters:
    ///   - recorders: Returns the recorders that have recorded anything.
    ///   - configuration: Returns the configuration in a recorder's file.
    package init(
        in state: StateDirectory, recorders: @escaping @Sendable () -> [RecordingName],
        configuration: @escaping @Sendable (RecordingName) throws(MediaError) -> RecordingConfiguration
    ) {
        (self.state, self.recorders, self.configuration) = (state, recorders, configuration)
    }

    /// Plans a deletion without changing anything.
    ///
    /// - Parameters:
    ///   - path: An absolute path.
    ///   - evenKept: True to delete the recording even if it is kept.
    /// - Throws: The reason why the file stays: `notFound`; `notPermitted` if no recorder created it, if it was
    ///   changed, or if it is kept; `busy` if a later deletion may succeed.
    package func plan(_ path: String, evenKept: Bool = false) throws(MediaError) -> Plan {
        var kind = stat()
        if lstat(path, &kind) != 0 {
            let number = errno
            guard number == ENOENT, try restore(path), lstat(path, &kind) == 0 else {
                throw MediaError(errno: number, "cannot delete \(path)")
            }
        }
        if OutputLocation.finalPath(of: path) != nil {
            throw Self.busy(
                path, "it is being recorded, or is unfinished",
                wayOut: "`recorder stop` ends the recording; `recorder repair` finalizes what a crash left")
        }
        let (name, entry) = try owner(of: Self.names(path), kind)
        let second = try mirroredFile(of: entry, name)
        let kept = [entry, second].compactMap(\.self).first(where: \.isKept)
        if let kept, !evenKept { throw kept.keptError }
        try checkCopy(of: entry, name, path)
        return Plan(name: name, isKept: kept != nil, recording: entry, second: second, evenKept: evenKept)
    }

    /// Returns true if a recorder lists the file as its own, on the first or the second disk. Only `plan` decides
    /// whether it may be deleted.
    ///
    /// - Parameter path: An absolute path.
    /// - Throws: An error if a list of recordings cannot be read.
    package func isRecorded(_ path: String) throws(MediaError) -> Bool {
        let names = recorders()
        // If the recorders' lists could not be read, every recording would look like a file that no recorder made.
        guard FolderContents.names(in: state.path) != nil || errno == ENOENT else {
            throw MediaError(errno: errno, "cannot read \(state.path)")
        }
        var kind = stat()
        let isThere = lstat(path, &kind) == 0
        for name in names {
            for catalogue in [RecordingCatalogue(name, in: state), mirrorCatalogue(name)] {
                for path in Self.names(path) where try catalogue.entry(path) != nil { return true }
                if isThere, try entry(of: kind, path, in: catalogue) != nil { return true }
            }
        }
        return false
    }

    /// Deletes a recording, on the second disk first. If one of the two deletions fails, the recording stays in the
    /// catalogue, so that the user can try again.
    ///
    /// - Parameter isWanted: A further condition for the file with this name, checked immediately before the deletion.
    /// - Throws: The error of a deletion, or an error if the plan is outdated. The user may have waited long before
    ///   confirming the plan.
    package func delete(
        _ plan: Plan, where isWanted: (CheckedRemoval.Candidate) -> Bool = { _ in true }
    ) throws(MediaError) {
        let plan = try self.plan(plan.file, evenKept: plan.evenKept)
        if let second = plan.second {
            guard try second.delete(evenKept: plan.evenKept) else { throw Self.changed(second) }
            try mirrorCatalogue(plan.name).remove([second])
        }
        guard try plan.recording.delete(evenKept: plan.evenKept, where: isWanted) else {
            throw Self.changed(plan.recording)
        }
        try RecordingCatalogue(plan.name, in: state).remove([plan.recording])
    }

    private static func changed(_ recording: FinishedRecording) -> MediaError {
        MediaError(
            .notPermitted, "cannot delete \(recording.path)", reason: "it was deleted or replaced meanwhile",
            wayOut: "`recorder list` shows the current recordings")
    }

    // MARK: -

    func mirrorCatalogue(_ name: RecordingName) -> RecordingCatalogue {
        RecordingCatalogue(path: state.finishedOnMirror(name))
    }

    /// Returns the recorder that created a file, and the file's entry.
    private func owner(of paths: [String], _ kind: stat) throws(MediaError) -> (RecordingName, FinishedRecording) {
        var isMirror = false
        for name in recorders() {
            for path in paths {
                if let entry = try RecordingCatalogue(name, in: state).entry(path) {
                    guard entry.isSame(kind) else {
                        throw MediaError(
                            .notPermitted, "cannot delete \(path)", reason: "it was changed after it was recorded",
                            wayOut: "`recorder info \(path)` shows its contents")
                    }
                    return (name, entry)
                }
                if try mirrorCatalogue(name).entry(path) != nil { isMirror = true }
            }
            if let entry = try entry(of: kind, paths[0], in: RecordingCatalogue(name, in: state)) {
                return (name, entry)
            }
            if try entry(of: kind, paths[0], in: mirrorCatalogue(name)) != nil { isMirror = true }
        }
        throw MediaError(
            .notPermitted, "cannot delete \(paths[0])",
            reason: isMirror ? "it is the mirror of another recording file" : "not in any recorder's catalogue",
            wayOut: isMirror
                ? "delete that file; its mirror is deleted with it" : "use rm to delete it")
    }

    /// Gives a recording its name again if an earlier deletion was interrupted; returns true if that succeeded.
    private func restore(_ path: String) throws(MediaError) -> Bool {
        for name in recorders() {
            for path in Self.names(path) {
                if let entry = try RecordingCatalogue(name, in: state).entry(path), entry.restore() { return true }
            }
        }
        return false
    }

    /// Returns the entry of a file that was entered with another path, for example that of a bind mount; nil without
    /// one.
    ///
    /// A file that the user has moved is the user's file. A file with several hard links is not its own entry, because
    /// deleting another link does not delete the recording.
    ///
    /// - Throws: `busy` if the file may be an entry whose disk is not mounted where it was.
    private func entry(
        of kind: FileStatus, _ path: String, in catalogue: RecordingCatalogue
    ) throws(MediaError) -> FinishedRecording? {
        guard kind.st_mode & S_IFMT == S_IFREG, kind.st_nlink == 1 else { return nil }
        for entry in try catalogue.entries(of: kind) {
            if PathIdentity.areSame(entry.path, path) { return entry }
            guard try catalogue.isMounted(entry) else {
                throw Self.busy(
                    path, "it may be the recording \(entry.path), whose disk is not mounted",
                    wayOut: "mount it and try again")
            }
        }
        return nil
    }

    /// Checks that a recording does not wait for a copy. The configuration file names the remote. If it has no remote,
    /// a recorder or a copier may have got one as an option; the catalogue has that of the copier.
    private func checkCopy(
        of entry: FinishedRecording, _ name: RecordingName, _ path: String
    ) throws(MediaError) {
        let (copies, catalogue) = (try configuration(name).copies, RecordingCatalogue(name, in: state))
        let option = copies.remote == nil && !copies.isDeclined ? try catalogue.lastRemote : nil
        guard let remote = copies.remote?.text ?? option else { return }
        let number = try catalogue.remote(remote)
        guard number == nil || entry.copiedTo != number else { return }
        throw Self.busy(
            path, "it is not copied to \(remote) yet",
            wayOut: option == nil
                ? "`recorder copy \(name) --once` copies it"
                : "`recorder copy \(name) --once --copy-to \(remote)` copies it; if no copies are wanted any more, write "
                    + "`copy-to: none` into \(name).yaml")
    }

    /// Returns the second mirrored file of a recording; nil if there is none and none will be completed.
    private func mirroredFile(
        of entry: FinishedRecording, _ name: RecordingName
    ) throws(MediaError) -> FinishedRecording? {
        let catalogue = mirrorCatalogue(name)
        let base = entry.root ?? entry.directory
        let relative = String(entry.path.dropFirst(base.count).drop { $0 == "/" })
        let places = try catalogue.places()
        var directories = Set(places.map(\.directory))
        if let mirror = try configuration(name).mirror {
            directories.insert(mirror)
            // The state of the files on a missing disk is unknown.
            if places.contains(where: { $0.directory == mirror && MountPoint.mounted($0.mount) == nil }) {
                throw Self.busy(
                    entry.path, "the disk of its mirror directory \(mirror) is not mounted",
                    wayOut: "mount it and try again")
            }
        }
        for directory in directories.sorted() {
            let path = directory.appendingComponent(relative)
            if try Self.mirroredFile(OutputLocation.temporaryPath(of: path), of: entry) != nil {
                throw Self.busy(
                    entry.path, "its mirrored file \(path) is incomplete",
                    wayOut: "`recorder mirror repair \(base) \(directory)` completes it")
            }
            guard let second = try catalogue.entry(path) else { continue }
            guard try catalogue.isMounted(second) else {
                throw Self.busy(
                    entry.path, "the disk with its mirrored file \(path) is not mounted",
                    wayOut: "mount it and try again")
            }
            // A missing or changed file is not a copy any more.
            if let file = try Self.mirroredFile(path, of: entry), second.isSame(file) { return second }
        }
        return nil
    }

    /// Returns the status of a mirrored file; nil if there is none.
    ///
    /// - Throws: An error if that is unknown. Deleting only one of two files would be useless, because the mirror would
    ///   complete it again.
    private static func mirroredFile(_ path: String, of entry: FinishedRecording) throws(MediaError) -> FileStatus? {
        switch FilePresence(of: path) {
        case .present(let file): return file
        case .absent: return nil
        case .unknown(let number):
            throw MediaError(errno: number, "cannot delete \(entry.path) and its mirrored file \(path)")
        }
    }

    /// Returns two forms of a path: as given, and with the links in its directory resolved.
    static func names(_ path: String) -> [String] {
        let directory = realpath(path.parentDirectory, nil)
        defer { free(directory) }
        guard let directory else { return [path] }
        let plain = PathText.text(directory).appendingComponent(path.lastComponent)
        return plain == path ? [path] : [path, plain]
    }

    private static func busy(_ path: String, _ reason: String, wayOut: String) -> MediaError {
        MediaError(.busy, "cannot delete \(path)", reason: reason, wayOut: wayOut)
    }
}

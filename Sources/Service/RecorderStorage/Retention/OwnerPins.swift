import FileSystem
import Foundation
package import MediaTypes

/// Keeps recordings at their owner's request, and stops keeping them, whether a recorder is running or not.
///
/// A pin is a sidecar beside the recording and a column of its catalogue entry. One of the two is enough to keep the
/// recording. The calls contact no recorder process: the sidecar of a file in progress has the file's final name, so it
/// still applies after the file is finalized. A recording on two disks is kept on both. Thread-safe; the calls access
/// the disk.
package struct OwnerPins: Sendable {
    /// The result of a change: a recording that is kept now, or is no longer kept.
    package struct Change: Sendable, Equatable {
        /// The path of the file, as it is in the catalogue.
        package let file: String
        /// The path of the other mirrored file; nil if there is none.
        package let copy: String?
        package let bytes: Int64
        package let wasKept: Bool
        /// The pin; nil if the recording is not kept any more.
        package let pin: RecordingPin?
    }

    /// A file, and the catalogue that lists it, if any.
    private struct Target {
        /// The final path.
        let path: String
        var catalogue: RecordingCatalogue?
        /// True for a file in progress. Another file may have its final name.
        var isUnfinished = false

        /// The current path of the file; nil if it is missing.
        var present: String? {
            let unfinished = OutputLocation.temporaryPath(of: path)
            return (isUnfinished ? [unfinished, path] : [path, unfinished]).first { OutputLocation.isThere($0) }
        }
    }

    let owner: OwnerRemoval

    init(_ owner: OwnerRemoval) { self.owner = owner }

    /// Keeps a recording, finished or in progress.
    ///
    /// - Parameters:
    ///   - path: An absolute path.
    ///   - note: The owner's note, or nil to leave an earlier one unchanged.
    ///   - request: The request for a clip that needs the recording until `release`, or nil if the owner keeps it.
    ///   - now: The time in seconds since 1970, or nil for the current time.
    /// - Throws: `notFound` if there is no such file; an error if the recording is not kept, or if its entry keeps it
    ///   but the sidecar is missing. The message states which of the two.
    package func keep(
        _ path: String, note: String? = nil, request: String? = nil, now: Double? = nil
    ) throws(MediaError) -> Change {
        try PinLock.hold(in: owner.state, isRequired: false) { () throws(MediaError) -> Change in
            try keepLocked(path, note, request, now)
        }
    }

    private func keepLocked(
        _ path: String, _ note: String?, _ request: String?, _ now: Double?
    ) throws(MediaError) -> Change {
        let facts = try facts(path, "cannot keep \(path)")
        let targets = try targets(path)
        let wasKept = targets.contains { isKept($0) }
        var failures: [MediaError] = []
        let since = now ?? Date().timeIntervalSince1970
        var pin = RecordingPin(
            since: since, note: note, inode: UInt64(facts.st_ino), requests: request.map { [$0] })
        for (index, target) in targets.enumerated() {
            let (stored, failure) = set(pin, of: target)
            // Both pins get the note of the first mirrored file. If the owner set one of the pins, both are the
            // owner's.
            if index == 0 { (pin.since, pin.note) = (stored.since, stored.note) }
            pin.requests = stored.requests
            if let failure { failures.append(failure) }
        }
        guard isStillThere(path, facts) else {
            // The file was deleted before its sidecar was written. If the deletion finds the sidecar, it restores the
            // file.
            if !wasKept { for target in targets { try? RecordingPins.remove(of: target.path) } }
            throw MediaError(
                .notFound, "cannot keep \(path)", reason: "it was deleted or replaced meanwhile",
                wayOut: "`recorder list` shows the current recordings")
        }
        if let failure = failures.first {
            let again = "keep it again once this is fixed"
            throw MediaError(
                failure.code, "cannot keep \(path) safely", reason: "\(failure.action): \(failure.reason)",
                underlying: failure.underlying,
                wayOut: targets.allSatisfy { isEntered($0) }
                    ? "it is kept as long as the catalogue is intact; " + again
                    : failure.wayOut.isEmpty ? again : failure.wayOut)
        }
        return Change(
            file: targets[0].path, copy: targets.dropFirst().first?.path, bytes: Int64(facts.st_size), wasKept: wasKept,
            pin: pin)
    }

    /// Stops keeping a recording. Retention may delete it from then on.
    ///
    /// - Parameter path: An absolute path.
    /// - Throws: `notFound` if there is no such file; an error if the recording is still kept.
    package func unkeep(_ path: String) throws(MediaError) -> Change {
        try PinLock.hold(in: owner.state, isRequired: false) { () throws(MediaError) -> Change in
            try unkeepLocked(path)
        }
    }

    private func unkeepLocked(_ path: String) throws(MediaError) -> Change {
        let facts = try facts(path, "cannot change \(path)")
        let targets = try targets(path)
        let wasKept = targets.contains { isKept($0) }
        for target in targets.reversed() {
            try RecordingPins.release(target.path, isUnfinished: target.isUnfinished)
            if let catalogue = target.catalogue, let entry = try catalogue.entry(target.path) {
                try catalogue.record(nil, of: entry)
            }
        }
        return Change(
            file: targets[0].path, copy: targets.dropFirst().first?.path, bytes: Int64(facts.st_size), wasKept: wasKept,
            pin: nil)
    }

    /// Stops keeping a recording for one request. A pin of the owner, or of another request, stays.
    ///
    /// - Parameter path: The final path of the recording, which may be gone.
    /// - Returns: true if the recording is not kept any more.
    /// - Throws: An error if the request still keeps it.
    package func release(_ path: String, of request: String) throws(MediaError) -> Bool {
        try PinLock.hold(in: owner.state, isRequired: true) { () throws(MediaError) -> Bool in
            var isReleased = false
            for target in try targets(path).reversed() {
                guard try RecordingPins.release(target.path, of: request) else { continue }
                // The sidecar of an earlier name may still keep the file.
                guard !RecordingPins.isKept(target.path) else { continue }
                if let catalogue = target.catalogue, let entry = try catalogue.entry(target.path) {
                    try catalogue.record(nil, of: entry)
                }
                isReleased = true
            }
            return isReleased
        }
    }

    // MARK: -

    private func facts(_ path: String, _ action: String) throws(MediaError) -> stat {
        var facts = stat()
        guard lstat(path, &facts) == 0 else { throw MediaError(errno: errno, action) }
        guard facts.st_mode & S_IFMT == S_IFREG else {
            throw MediaError(.notPermitted, action, reason: "it is not a regular file", wayOut: "name the file itself")
        }
        return facts
    }

    /// Returns true if an entry or a sidecar keeps a file, or if it is unknown whether a sidecar exists.
    private func isKept(_ target: Target) -> Bool {
        RecordingPins.isKept(target.path) || isEntered(target)
    }

    /// Returns true if an entry keeps a file.
    private func isEntered(_ target: Target) -> Bool {
        guard let entry = try? target.catalogue?.entry(target.path) else { return false }
        return entry.pin != nil
    }

    /// Writes the sidecar of a file and the pin of its entry.
    ///
    /// - Returns: The pin with the time and the note of an earlier one, and the first error.
    private func set(_ new: RecordingPin, of target: Target) -> (pin: RecordingPin, failure: MediaError?) {
        var (pin, failure) = (new, MediaError?.none)
        // The owner keeps the file by its entry alone.
        if pin.requests != nil, !PinFile.isThere(target.path), isEntered(target) { pin.requests = nil }
        do throws(MediaError) {
            if let present = target.present {
                pin.inode = UInt64(try facts(present, "cannot keep \(present)").st_ino)
                try RecordingPins.set(&pin, of: target.path)
            }
        } catch { failure = error }
        do throws(MediaError) {
            if let catalogue = target.catalogue, let entry = try catalogue.entry(target.path) {
                if let known = entry.pin {
                    let isOwners = new.requests != nil && pin.requests == nil
                    (pin.since, pin.note) = (known.since, isOwners ? known.note ?? pin.note : pin.note ?? known.note)
                }
                try catalogue.record(pin, of: entry)
            }
        } catch { failure = failure ?? error }
        return (pin, failure)
    }

    /// Returns true if the file still has a visible name in its directory: its own, or that of a finalized recording.
    private func isStillThere(_ path: String, _ facts: stat) -> Bool {
        func isSame(_ path: String) -> Bool {
            var found = stat()
            return lstat(path, &found) == 0 && found.st_ino == facts.st_ino && found.st_dev == facts.st_dev
        }
        if isSame(path) { return true }
        guard OutputLocation.finalPath(of: path) != nil else { return false }
        let directory = path.parentDirectory
        return (FolderContents.names(in: directory) ?? []).contains {
            !$0.hasPrefix(".") && isSame(directory.appendingComponent($0))
        }
    }
}

// MARK: - Mirrored files

extension OwnerPins {
    /// Returns the file, and its other mirrored file if that exists or will exist.
    private func targets(_ path: String) throws(MediaError) -> [Target] {
        if let final = OutputLocation.finalPath(of: path) {
            // The catalogue reads the sidecar when the file is entered. Until then, an entry with this path belongs to
            // another file.
            return [Target(path: final, isUnfinished: true)] + unfinishedCounterparts(of: final)
        }
        for name in owner.recorders() {
            let catalogues = [RecordingCatalogue(name, in: owner.state), owner.mirrorCatalogue(name)]
            for path in OwnerRemoval.names(path) {
                for (index, catalogue) in catalogues.enumerated() {
                    guard let entry = try catalogue.entry(path) else { continue }
                    let others = try counterparts(of: entry, catalogues[1 - index], isOnMirror: index == 1, name)
                    return [Target(path: path, catalogue: catalogue)] + others
                }
            }
        }
        return [Target(path: path)]
    }

    /// Returns the other mirrored file of a finished one.
    private func counterparts(
        of entry: FinishedRecording, _ catalogue: RecordingCatalogue, isOnMirror: Bool, _ name: RecordingName
    ) throws(MediaError) -> [Target] {
        let base = entry.root ?? entry.directory
        var directories = Set(try catalogue.places().map(\.directory))
        // An invalid configuration does not prevent keeping a recording.
        if let configuration = try? owner.configuration(name) {
            let other = isOnMirror ? OutputLocation.retentionDirectory(configuration) : configuration.mirror
            if let other { directories.insert(other) }
        }
        var targets: [Target] = []
        for directory in directories.sorted() where directory != base {
            guard let path = OutputLocation.counterpart(of: entry.path, below: base, on: directory) else { continue }
            let target = Target(path: path, catalogue: catalogue)
            let isEntered = try catalogue.entry(path) != nil
            if isEntered || target.present != nil { targets.append(target) }
        }
        return targets
    }

    /// Returns the other mirrored file of a file in progress, according to the recorders' lists.
    private func unfinishedCounterparts(of final: String) -> [Target] {
        let ending = ".mirrored.json"
        let names = (FolderContents.names(in: owner.state.path) ?? []).filter { $0.hasSuffix(ending) }
            .compactMap { try? RecordingName(parsing: String($0.dropLast(ending.count))) }
        let paths = OwnerRemoval.names(final)
        for name in names {
            for recording in StoredList<MirroredPaths>(owner.state.mirrored(name)).entries {
                guard let index = recording.paths.firstIndex(where: paths.contains) else { continue }
                return [Target(path: recording.paths[1 - index], isUnfinished: true)]
            }
        }
        return []
    }

    /// The paths of one recording in the list that `MirroredRecordings` writes.
    private struct MirroredPaths: Codable, Hashable, Sendable {
        let first: String
        let second: String

        var paths: [String] { [first, second] }
    }
}

extension OwnerRemoval {
    /// The pins of the same recorders.
    package var pins: OwnerPins { OwnerPins(self) }
}

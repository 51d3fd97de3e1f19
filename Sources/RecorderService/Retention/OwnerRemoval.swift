import FileSystem
import Foundation
package import MediaTypes
package import MovieFile

/// Deletes finished recordings because their owner says so, whether a recorder runs or not.
///
/// Only what a catalogue names and still is the file that was entered; nothing that is being written, that a mirror is still
/// completing, or that waits for its copy on another machine. A recording on two disks goes from both: what stood on one alone
/// would be completed from it. Any thread; the calls touch the disk.
package struct OwnerRemoval: Sendable {
    /// What may go.
    package struct Plan: Sendable {
        package let name: RecordingName
        /// Absolute, as it was entered.
        package var file: String { recording.path }
        package var bytes: Int64 { recording.identity.size }
        /// Where it stands on the second disk.
        package var copy: String? { second?.path }
        fileprivate let recording: FinishedRecording
        fileprivate let second: FinishedRecording?
    }

    private let state: StateDirectory
    private let recorders: @Sendable () -> [RecordingName]
    private let configuration: @Sendable (RecordingName) throws(MediaError) -> RecordingConfiguration

    /// - Parameters:
    ///   - recorders: those that have recorded something.
    ///   - configuration: what a recorder's file says.
    package init(
        in state: StateDirectory, recorders: @escaping @Sendable () -> [RecordingName],
        configuration: @escaping @Sendable (RecordingName) throws(MediaError) -> RecordingConfiguration
    ) {
        (self.state, self.recorders, self.configuration) = (state, recorders, configuration)
    }

    /// Looks, and changes nothing.
    ///
    /// - Parameter path: absolute.
    /// - Throws: why it stays: `notFound`; `notPermitted` where it is none of ours, or not as it was; `busy` where it may go
    ///   later.
    package func plan(_ path: String) throws(MediaError) -> Plan {
        var kind = stat()
        guard lstat(path, &kind) == 0 else { throw MediaError(errno: errno, "cannot delete \(path)") }
        if OutputLocation.finalPath(of: path) != nil {
            throw Self.busy(
                path, "it is being recorded, or was not finished",
                wayOut: "`recorder stop` ends it; `recorder repair` makes whole what a crash left")
        }
        let (name, entry) = try owner(of: Self.names(path), kind)
        let second = try secondCopy(of: entry, name)
        if let remote = try configuration(name).copies.remote?.text {
            let catalogue = RecordingCatalogue(name, in: state)
            let number = try catalogue.remote(remote)
            guard number != nil, entry.copiedTo == number else {
                throw Self.busy(
                    path, "it has no copy at \(remote) yet", wayOut: "`recorder copy \(name) --once` makes one")
            }
        }
        return Plan(name: name, recording: entry, second: second)
    }

    /// Whether a recorder made it, or has it as a second copy: then only `plan` says whether it may go.
    ///
    /// - Parameter path: absolute.
    /// - Throws: where a list of recordings cannot be read.
    package func isRecorded(_ path: String) throws(MediaError) -> Bool {
        for name in recorders() {
            for path in Self.names(path) {
                if try RecordingCatalogue(name, in: state).entry(path) != nil { return true }
                if try copies(name).entry(path) != nil { return true }
            }
        }
        return false
    }

    /// Deletes it, from the second disk first: as long as anything of it is there it is entered, and can be deleted again.
    ///
    /// - Parameter isWanted: a further condition on what has the recording's name, asked right before it goes.
    /// - Throws: also when it may not go any more: somebody may have thought about it for long.
    package func delete(
        _ plan: Plan, where isWanted: (CheckedRemoval.Facts) -> Bool = { _ in true }
    ) throws(MediaError) {
        let plan = try self.plan(plan.file)
        if let second = plan.second {
            guard try second.delete() else { throw Self.changed(second) }
            try copies(plan.name).remove([second])
        }
        guard try plan.recording.delete(where: isWanted) else { throw Self.changed(plan.recording) }
        try RecordingCatalogue(plan.name, in: state).remove([plan.recording])
    }

    private static func changed(_ recording: FinishedRecording) -> MediaError {
        MediaError(
            .notPermitted, "cannot delete \(recording.path)", reason: "it is gone, or another file by now",
            wayOut: "`recorder list` shows what there is")
    }

    // MARK: -

    private func copies(_ name: RecordingName) -> RecordingCatalogue {
        RecordingCatalogue(name, path: state.finishedCopies(name))
    }

    /// The recorder that made a file, and its entry.
    private func owner(of paths: [String], _ kind: stat) throws(MediaError) -> (RecordingName, FinishedRecording) {
        var isCopy = false
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
                if try copies(name).entry(path) != nil { isCopy = true }
            }
        }
        throw MediaError(
            .notPermitted, "cannot delete \(paths[0])",
            reason: isCopy ? "it is the second copy of a recording" : "no recorder made it, or none knows it any more",
            wayOut: isCopy
                ? "name the first copy to delete both" : "`recorder list` shows the recordings that it deletes")
    }

    /// The same recording on the second disk; nil where there is none, and none comes.
    private func secondCopy(
        of entry: FinishedRecording, _ name: RecordingName
    ) throws(MediaError) -> FinishedRecording? {
        let catalogue = copies(name)
        let base = entry.root ?? entry.directory
        let relative = String(entry.path.dropFirst(base.count).drop { $0 == "/" })
        let places = try catalogue.places()
        var directories = Set(places.map(\.directory))
        if let mirror = try configuration(name).mirror {
            directories.insert(mirror)
            // What it has, and whether that is whole, nobody can tell.
            if places.contains(where: { $0.directory == mirror && MountPoint.mounted($0.mount) == nil }) {
                throw Self.busy(
                    entry.path, "the disk of its mirror, \(mirror), is away", wayOut: "mount it, and try again")
            }
        }
        for directory in directories.sorted() {
            let path = (directory as NSString).appendingPathComponent(relative)
            if OutputLocation.isThere(OutputLocation.temporaryPath(of: path)) {
                throw Self.busy(
                    entry.path, "its second copy, \(path), is not whole yet",
                    wayOut: "`recorder mirror repair \(base) \(directory)` completes it")
            }
            guard let second = try catalogue.entry(path) else { continue }
            guard try catalogue.isMounted(second) else {
                throw Self.busy(
                    entry.path, "the disk with its second copy, \(path), is away", wayOut: "mount it, and try again")
            }
            var kind = stat()
            // One that is gone, or became another file, is no copy any more.
            if lstat(path, &kind) == 0, second.isSame(kind) { return second }
        }
        return nil
    }

    /// As it was called, and by way of no links in front of its own name.
    private static func names(_ path: String) -> [String] {
        let directory = realpath((path as NSString).deletingLastPathComponent, nil)
        defer { free(directory) }
        guard let directory else { return [path] }
        let plain = (PathText.text(directory) as NSString).appendingPathComponent(
            (path as NSString).lastPathComponent)
        return plain == path ? [path] : [path, plain]
    }

    private static func busy(_ path: String, _ reason: String, wayOut: String) -> MediaError {
        MediaError(.busy, "cannot delete \(path)", reason: reason, wayOut: wayOut)
    }
}

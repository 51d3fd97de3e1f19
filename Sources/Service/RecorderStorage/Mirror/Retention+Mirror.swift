import AssetIO
import FileSystem
import Foundation
package import Logging
import MediaTypes
import RealTime

extension Retention {
    /// Returns the retention of the files on a recorder's second disk; nil without a mirror. It applies the same rules
    /// as on the first disk, but independently.
    package static func ofMirror(
        _ configuration: RecordingConfiguration, in state: StateDirectory, log: Logger
    ) -> Retention? {
        guard let mirror = configuration.mirror else { return nil }
        let own = configuration.ofMirror
        let first = OutputLocation.retentionDirectory(configuration)
        return Retention(
            configuration.name, below: mirror, in: state,
            catalogue: RecordingCatalogue(path: state.finishedOnMirror(configuration.name)),
            clockPath: state.retentionClock(configuration.name) + ".mirror",
            spacePath: state.freedSpace(configuration.name) + ".mirror", log: log, moment: Moment.now,
            freeSpace: DiskSpace.free(at:), settle: DiskSpace.settle(_:until:),
            find: { own.flatMap { RecordingSearch($0) }?.recordings() ?? [] },
            counterpart: { OutputLocation.counterpart(of: $0, below: mirror, on: first) })
    }

    /// Enters a mirrored file that was completed after its recording had ended. If this file is in the catalogue
    /// already, its entry stays.
    ///
    /// - Parameters:
    ///   - root: The entry's root directory if the file is below it; otherwise the entry has no root directory.
    ///   - other: The retention of the other disk. If the other mirrored file is in its catalogue, this file gets the
    ///     same time and facts; otherwise it counts as repaired.
    package func enterRepaired(_ path: String, below root: String?, like other: Retention?) {
        // The file was entered when it was finished. A new entry would make it young again, and lose its copy.
        if (try? catalogue.isEntered(path)) == true { return }
        let own = root.flatMap { path.hasPrefix($0.hasSuffix("/") ? $0 : $0 + "/") ? $0 : nil }
        if let twin = twin(of: path, in: other) { return enter(path, root: own, twin.account, at: twin.moment) {} }
        let summary = try? MovieSummary(contentsOf: URL(fileURLWithPath: path))
        let account = summary.flatMap { FinishedRecording.Account($0, ending: .repaired) }
        enter(path, root: own, account ?? .init(ending: .repaired)) {}
    }

    /// Returns the entry of a file's other mirrored file, with its activity; nil if there is none.
    private func twin(of path: String, in other: Retention?) -> FinishedRecording? {
        // If the sizes differ, the other file has other data, and may belong to another recording.
        guard let catalogue = other?.catalogue, let second = counterpart(path),
            var twin = try? catalogue.entry(second), FolderContents.size(of: path) == twin.identity.size
        else { return nil }
        twin.account.activity = try? catalogue.activity(of: twin)
        return twin
    }

    /// Marks each second mirrored file as copied if its first mirrored file was copied to the remote. Retention may
    /// then delete the second file too. A file whose first mirrored file is no longer in its catalogue stays uncopied.
    /// Each call looks at a few thousand files, and the next call continues after them.
    ///
    /// - Parameters:
    ///   - first: The retention of the first disk.
    ///   - mirror: The directory on the second disk.
    ///   - remote: The remote for copies.
    package func recordCopies(of first: Retention, on mirror: MirrorPlace, remote: String) {
        guard let base = first.directory else { return }
        do throws(MediaError) {
            guard let number = try first.catalogue.remote(remote) else { return }
            let own = try catalogue.beginCopies(to: remote)
            let page = 256
            var last = lastUncopied.withLock { $0 }
            for _ in 0..<16 {
                let waiting = try catalogue.uncopied(after: last, count: page)
                for entry in waiting {
                    let relative = entry.path.dropFirst(mirror.directory.count).drop { $0 == "/" }
                    let path = base.appendingComponent(String(relative))
                    guard let original = try first.catalogue.entry(path), original.copiedTo == number else { continue }
                    try catalogue.recordCopied(entry, to: own)
                }
                last = waiting.last?.number ?? 0
                guard waiting.count == page else {
                    last = 0
                    break
                }
            }
            let reached = last
            lastUncopied.withLock { $0 = reached }
        } catch {
            // If it is unknown which recordings have copies, retention continues to hold the recordings.
        }
    }
}

extension RecordingConfiguration {
    /// The configuration of the files on the second disk, with the pattern of their paths; nil without a mirror.
    var ofMirror: RecordingConfiguration? {
        let text = output ?? OutputPattern.standard
        guard let mirror, let pattern = try? OutputPattern(parsing: text) else { return nil }
        let base =
            pattern.hasFieldsInDirectory
            ? pattern.fixedDirectory : pattern.text.parentDirectory
        let relative = pattern.text.dropFirst(base.count).drop { $0 == "/" }
        var mirrored = self
        mirrored.output = mirror.appendingComponent(String(relative))
        return mirrored
    }
}

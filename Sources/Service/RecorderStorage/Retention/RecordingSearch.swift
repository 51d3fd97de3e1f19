import AssetIO
import FileSystem
import Foundation
package import MediaTypes

/// Finds the recordings on a disk that are certainly a recorder's own, after its catalogue was lost.
///
/// A file counts if it meets all of these conditions:
/// - It is below the output's directory.
/// - The pattern produces its name for its start time.
/// - It is intact.
/// - Its metadata has the program's and the recorder's name.
/// - It was last changed when the recording ended.
///
/// A copy does not count, because it was changed later or has another name. A file with pauses or repairs does not
/// count, because it was changed later than its duration suggests. Files that do not count are never deleted.
package struct RecordingSearch {
    private let name: RecordingName
    private let directory: String
    private let depth: Int
    /// Returns the pattern's path for a time.
    private let expand: (Date) -> String?
    private let fileExtension: String
    private let root: String?

    /// Creates a search; nil if the output is invalid.
    ///
    /// - Parameter base: The directory for relative outputs.
    init?(_ configuration: RecordingConfiguration, base: String = ProcessText.workingDirectory) {
        guard let pattern = try? OutputPattern(parsing: configuration.output ?? OutputPattern.standard),
            let place = try? OutputLocation.expand(configuration, workingDirectory: base)
        else { return nil }
        name = configuration.name
        root = place.root
        directory = place.root ?? place.path.parentDirectory
        let parts = place.path.dropFirst(directory.count).split(separator: "/").count
        depth = max(0, parts - 1)
        fileExtension = pattern.text.fileExtension
        expand = { try? OutputLocation.expand(configuration, workingDirectory: base, now: $0).path }
    }

    /// Returns the recordings in the order in which they were finished. Blocks while it reads the header of every
    /// movie.
    func recordings() -> [FinishedRecording] {
        var found: [FinishedRecording] = []
        look(in: directory, depth: depth) { path, kind in
            if let recording = recording(path, kind) { found.append(recording) }
        }
        return found.sorted { $0.identity.modified < $1.identity.modified }
    }

    private func look(in directory: String, depth: Int, _ body: (String, stat) -> Void) {
        for name in FolderContents.names(in: directory) ?? [] {
            let path = directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
            var kind = stat()
            // Links are not followed.
            guard lstat(path, &kind) == 0 else { continue }
            if kind.st_mode & S_IFMT == S_IFDIR, depth > 0 {
                look(in: path, depth: depth - 1, body)
            } else if kind.st_mode & S_IFMT == S_IFREG, depth == 0, name.fileExtension == fileExtension {
                body(path, kind)
            }
        }
    }

    private func recording(_ path: String, _ kind: stat) -> FinishedRecording? {
        guard let summary = try? MovieSummary(contentsOf: URL(fileURLWithPath: path)), Self.isOwn(summary, of: name),
            let account = FinishedRecording.Account(summary), let started = account.started,
            let duration = account.duration, isNamed(path, at: started)
        else { return nil }
        let identity = FinishedRecording.Identity(kind)
        let finished = Double(identity.modified) / 1e9
        guard finished - started - duration > -3, finished - started - duration < 60 else { return nil }
        return FinishedRecording(
            number: 0, path: path, identity: identity, moment: Moment(wall: finished, uptime: 0, boot: ""), root: root,
            account: account)
    }

    /// Returns true if the movie is intact and has the program's and the recorder's name in its metadata.
    package static func isOwn(_ summary: MovieSummary, of name: RecordingName) -> Bool {
        summary.health == .whole && summary.metadata[MetadataItem.titleKey] == name.description
            && summary.metadata[MetadataItem.softwareKey]?.hasPrefix("recorder ") == true
    }

    /// Returns true if the pattern produces this path for a time shortly before the start, with or without a number.
    /// The name is older than the first sample, because devices take time to open.
    private func isNamed(_ path: String, at started: Double) -> Bool {
        let stem = path.removingExtension
        return (0...60).contains { ago in
            guard let expanded = expand(Date(timeIntervalSince1970: started - Double(ago))) else { return false }
            let own = expanded.removingExtension
            guard stem.hasPrefix(own) else { return false }
            let rest = stem.dropFirst(own.count)
            return rest.isEmpty
                || rest.first == "-" && rest.count <= 6 && rest.dropFirst().allSatisfy(\.isNumber)
                    && rest.count > 1
        }
    }
}

extension FinishedRecording.Account {
    /// Creates the facts from a movie's metadata; nil if it has no start time.
    package init?(_ summary: MovieSummary, ending: RecordingEnding = .unknown) {
        guard let text = summary.metadata[MetadataItem.creationDateKey],
            let date = (try? Date(text, strategy: .iso8601))
                ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(timeZoneSeparator: .colon)))
        else { return nil }
        self.init(started: date.timeIntervalSince1970, duration: summary.duration, ending: ending)
    }
}

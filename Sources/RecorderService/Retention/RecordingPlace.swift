import CommandInterface
import Foundation

/// A directory in which a recorder's files are.
package struct RecordingPlace: Sendable, Hashable {
    package let recorder: String
    /// Absolute.
    package let directory: String
    /// So many directories below each other were made in it for recordings.
    package let depth: Int

    package init(recorder: String, directory: String, depth: Int) {
        (self.recorder, self.directory, self.depth) = (recorder, directory, depth)
    }

    /// Of a file that was finished.
    package init(_ recording: FinishedRecording, of recorder: RecordingName) {
        self.init(recorder.description, recording.path, root: recording.root)
    }

    private init(_ recorder: String, _ path: String, root: String?) {
        let own = (path as NSString).deletingLastPathComponent
        let directory = root.flatMap { own == $0 || own.hasPrefix($0 == "/" ? $0 : $0 + "/") ? $0 : nil } ?? own
        self.init(
            recorder: recorder, directory: directory,
            depth: own.dropFirst(directory.count).split(separator: "/").count)
    }

    /// Where a recorder's files will be, as it is configured, and where those are that it has begun. What cannot be read says nothing.
    /// Touches the disk.
    package static func planned(_ name: RecordingName, in state: StateDirectory) -> [RecordingPlace] {
        var places = UnfinishedRecordings(name, in: state).files.filter { $0.hasPrefix("/") }
            .map { RecordingPlace(name.description, $0, root: nil) }
        let source = ConfigurationSource(name)
        // A relative one is relative to a directory of another process.
        if source.configuredNames.contains(name.description), let configuration = try? source.load(),
            configuration.output?.hasPrefix("/") ?? true, let (path, root) = try? OutputLocation.expand(configuration)
        {
            places.append(RecordingPlace(name.description, path, root: root))
        }
        return places
    }
}

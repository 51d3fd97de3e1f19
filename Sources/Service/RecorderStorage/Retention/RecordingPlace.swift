import CommandInterface
import FileSystem
import Foundation

/// A directory with a recorder's files.
package struct RecordingPlace: Sendable, Hashable {
    package let recorder: String
    /// The absolute path of the directory.
    package let directory: String
    /// The number of nested directory levels that were created in it for recordings.
    package let depth: Int

    package init(recorder: String, directory: String, depth: Int) {
        (self.recorder, self.directory, self.depth) = (recorder, directory, depth)
    }

    /// Creates the place of a finished file.
    package init(_ recording: FinishedRecording, of recorder: RecordingName) {
        self.init(recorder.description, recording.path, root: recording.root)
    }

    private init(_ recorder: String, _ path: String, root: String?) {
        let own = path.parentDirectory
        let directory = root.flatMap { own == $0 || own.hasPrefix($0 == "/" ? $0 : $0 + "/") ? $0 : nil } ?? own
        self.init(
            recorder: recorder, directory: directory,
            depth: own.dropFirst(directory.count).split(separator: "/").count)
    }

    /// Returns the directories for a recorder's files according to its configuration, and the directories of its
    /// unfinished files. Ignores configurations and lists that cannot be read. Accesses the disk.
    package static func planned(_ name: RecordingName, in state: StateDirectory) -> [RecordingPlace] {
        var places = UnfinishedRecordings(name, in: state).files.filter { $0.hasPrefix("/") }
            .map { RecordingPlace(name.description, $0, root: nil) }
        let source = ConfigurationSource(name)
        // A relative path refers to the recorder's working directory, which is unknown here.
        if source.configuredNames.contains(name.description), let configuration = try? source.load(),
            configuration.output?.hasPrefix("/") ?? true, let (path, root) = try? OutputLocation.expand(configuration)
        {
            places.append(RecordingPlace(name.description, path, root: root))
        }
        return places
    }
}

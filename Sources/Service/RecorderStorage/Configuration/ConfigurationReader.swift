package import CommandInterface
import FileSystem
import Foundation
import MediaTypes
import RealTime

/// Reads a recorder's configuration at its start, and again while it runs.
///
/// A file that was read before must still be there, and contain settings. A file is often missing or empty only for a
/// while: an editor is saving it, or its disk is full or not mounted. The recorder must not lose its masks, hooks and
/// retention rules then.
package final class ConfigurationReader: Sendable {
    /// The file that was read last.
    private struct File {
        let path: String
        let isEmpty: Bool
    }

    package let source: ConfigurationSource
    private let lastFile = Locked<File?>(nil)

    package init(_ source: ConfigurationSource) { self.source = source }

    /// Reads all sources, for the first time or again.
    ///
    /// - Throws: The errors of `ConfigurationSource.load`; `configuration` if the file is now missing or empty.
    package func load() throws(RecordingFailure) -> RecordingConfiguration {
        let before = lastFile.withLock { $0 }
        let read = Result { () throws(RecordingFailure) in try source.resolve() }
        // Checked after reading: another directory's file may have been read instead.
        if let before, access(before.path, F_OK) != 0 { throw Self.refusal(before.path, "the file is missing") }
        let new = try read.get()
        if let before, !before.isEmpty, new.isFileEmpty {
            throw Self.refusal(new.file ?? before.path, "the file is empty")
        }
        lastFile.withLock { $0 = new.file.map { File(path: $0, isEmpty: new.isFileEmpty) } }
        return new.configuration
    }

    private static func refusal(_ path: String, _ reason: String) -> RecordingFailure {
        RecordingFailure(
            .configuration,
            MediaError(
                .invalidSettings, "cannot reload \(path)", reason: "\(reason), so all settings stay as they are",
                wayOut: "restore it, or restart the recorder to use the defaults"))
    }
}

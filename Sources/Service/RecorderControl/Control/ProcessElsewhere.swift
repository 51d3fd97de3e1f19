import FileSystem
package import RecorderStorage

/// A running recorder whose sockets are not in the runtime directory of this process.
package struct ProcessElsewhere: Sendable, Equatable {
    package let name: RecordingName
    private let process: Int32?
    /// The runtime directory of the recorder; nil if unknown.
    private let directory: String?

    init(_ name: RecordingName, _ holder: InstanceLock.Holder?) {
        (self.name, process, directory) = (name, holder?.process, holder?.runtime)
    }

    /// The message for the user.
    package var text: String { "\(name) is recording\(place); \(stop)" }

    /// The process and its runtime directory, to follow "it is recording".
    var place: String {
        let process = process.map { " (pid \($0))" } ?? ""
        return process + (directory.map { ", and its runtime directory is \($0)" } ?? "")
    }

    /// How to stop the recorder. If its directory is gone, or that of a container, only a signal can.
    var stop: String {
        if let directory, FolderContents.isDirectory(directory) {
            return "`RECORDER_RUNTIME_DIRECTORY=\(directory) recorder stop \(name)` stops it"
        }
        return process.map { "`kill \($0)` stops it" } ?? "stop its process"
    }
}

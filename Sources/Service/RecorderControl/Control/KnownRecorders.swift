package import CommandInterface
import FileSystem
import Foundation
package import RecorderStorage

/// The names of this user's recorders. A recorder is known if it has recorded anything, is configured, or is running.
package struct KnownRecorders: Sendable {
    private let state: StateDirectory
    private let runtime: RuntimeDirectory

    package init(in state: StateDirectory = StateDirectory(), _ runtime: RuntimeDirectory = RuntimeDirectory()) {
        self.state = state
        self.runtime = runtime
    }

    /// The recorders with a catalogue, in alphabetical order.
    package var recorded: [RecordingName] {
        let files = FolderContents.names(in: state.path) ?? []
        let ending = ".finished.sqlite"
        return files.filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }.sorted()
            .compactMap { try? RecordingName(parsing: $0) }
    }

    /// Checks that a recorder exists.
    ///
    /// - Throws: The error message for the user if the recorder does not exist.
    package func check(_ name: RecordingName) throws(OptionError) {
        let source = ConfigurationSource(name)
        let ends = RecorderEnds(in: state, runtime)
        guard !RecordingCatalogue(name, in: state).isThere, !ends.isRunning(name), ends.end(of: name) == nil,
            !source.directories.contains(where: { OutputLocation.isThere("\($0)/\(name).yaml") })
        else { return }
        throw OptionError("\(name) has recorded nothing, and there is no \(name).yaml")
    }

    /// Checks that a recorder exists, and that its lists can be in this state directory. The recorder of a service has
    /// another one than root and desktop users, whose commands would find none of its recordings.
    ///
    /// - Throws: The error message for the user if the recorder does not exist, or has another state directory.
    package func checkLists(of name: RecordingName) throws(OptionError) {
        try check(name)
        let files = FolderContents.names(in: state.path) ?? []
        // A recorder writes its note and locks it before it records.
        guard runtime.isRunning(name), !files.contains(where: { $0.hasPrefix("\(name).") }) else { return }
        let wayOut =
            runtime.path == "/run/recorder"
            ? "use `sudo -u recorder env XDG_STATE_HOME=/var/lib RECORDER_RUNTIME_DIRECTORY=/run/recorder recorder …`"
            : "run the command as the recorder's user, with its HOME and XDG_STATE_HOME"
        throw OptionError("\(name) is running, but its list of recordings is not in \(state.path); \(wayOut)")
    }
}

import ArgumentParser
import RecorderService

// What a shell offers where a command takes a recorder's name, or a file.
extension CompletionKind {
    /// Those that record, or wait armed.
    static var runningRecorders: CompletionKind {
        .custom { _, _, _ in RunningRecordings().names.map(\.description) }
    }

    /// Those that run, and those that have a file.
    static var recorders: CompletionKind {
        .custom { _, _, _ in
            let running = RunningRecordings().names.map(\.description)
            return Set(running + ConfigurationSource(.standard).configuredNames).sorted()
        }
    }

    static let movie = CompletionKind.file(extensions: ["mov", "mp4", "m4v", "m4a"])
    static let picture = CompletionKind.file(extensions: ["png", "jpg", "jpeg"])
}

import ArgumentParser
import RecorderControl
import RecorderStorage

// Shell completions for recorder names and files.
extension CompletionKind {
    /// The recorders that are recording or armed.
    static var runningRecorders: CompletionKind {
        .custom { _, _, _ in RunningRecordings().names.map(\.description) }
    }

    /// The recorders that run, and those with a configuration file.
    static var recorders: CompletionKind {
        .custom { _, _, _ in
            let running = RunningRecordings().names.map(\.description)
            return Set(running + ConfigurationSource(.standard).configuredNames).sorted()
        }
    }

    static let movie = CompletionKind.file(extensions: ["mov", "mp4", "m4v", "m4a"])
    static let image = CompletionKind.file(extensions: ["png", "jpg", "jpeg"])
}

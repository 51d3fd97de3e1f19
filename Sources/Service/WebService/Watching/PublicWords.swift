import FileSystem
import Foundation
import RecorderStorage

/// Removes directories and the remote's name from a recorder's messages, because the browser may run on another
/// machine.
struct PublicWords {
    /// The directories to remove from messages, the longest first.
    private let directories: [String]
    private let remote: String?

    init(_ status: RecordingStatus) {
        let files = [status.file] + status.segments.map(\.file) + (status.mirror ?? []).map(\.file)
        let used = files.compactMap { $0?.parentDirectory }
        directories = Set(used + [status.retention?.directory].compactMap { $0 }).filter { $0.count > 1 }
            .sorted { $0.utf8.count > $1.utf8.count }
        remote = status.copies?.remote
    }

    /// Returns a message for a browser: only the last component of a path remains.
    func text(_ text: String) -> String {
        var text = text
        // Replace known directories first, as they may contain spaces.
        for directory in directories {
            text = text.replacing(directory + "/", with: "")
                .replacing(directory, with: directory.lastComponent)
        }
        if let remote, !remote.isEmpty { text = text.replacing(remote, with: "the remote") }
        return Self.withoutPaths(text)
    }

    /// Returns a text in which only the last component of each absolute path remains. A directory's name may contain
    /// spaces.
    static func withoutPaths(_ text: String) -> String {
        text.replacing(/(^|[\s`“"'(=])\/(?:[^\s\/:,;`”"')]+(?: [^\s\/:,;`”"')]+)*\/)+/) { String($0.1) }
    }

    /// Rewords a message for a user without a command line: "a faster --preset" becomes "a faster preset".
    static func withoutOptions(_ text: String) -> String {
        text.replacing(/(^|\s)--([a-z][a-z0-9-]*)/) { "\($0.1)\($0.2.replacing("-", with: " "))" }
    }
}

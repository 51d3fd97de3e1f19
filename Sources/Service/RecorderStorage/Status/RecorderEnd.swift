import FileSystem
import Foundation
package import MediaTypes

/// An end of a recorder that was not requested. `status`, `list`, `stop` and the page show it until the recorder is
/// started again or a user acknowledges it.
package struct RecorderEnd: Codable, Sendable, Equatable {
    package enum State: String, Codable, Sendable, CaseIterable {
        /// The process ended without a report: it was killed, it crashed, or the machine lost power.
        case died
        case diskFull
        /// The process reported an error that ended it.
        case failed
    }

    package var name: String
    package var state: State
    /// The time of the end: ISO 8601, with the machine's offset from UTC; null if unknown.
    @OrNull package var ended: String?
    /// The cause in one line.
    package var error: String
    /// The path of the unfinished file; null without one.
    @OrNull package var file: String?
    package var wayOut: String
    /// The path of the process's log; null if it has none.
    @OrNull package var log: String?

    package init(
        name: String, state: State, ended: String?, error: String, file: String?, wayOut: String, log: String?
    ) {
        self.name = name
        self.state = state
        self.ended = ended
        self.error = error
        self.file = file
        self.wayOut = wayOut
        self.log = log
    }

    /// The text for the user: the state, the cause, the unfinished file, and how to fix it, e.g. "front died at
    /// 2026-11-21T14:03:22+01:00: …".
    package var text: String {
        let words =
            switch state {
            case .died: "died"
            case .diskFull: "stopped because its disk was full"
            case .failed: "failed"
            }
        let time = ended.map { " at \($0)" } ?? ""
        let left = file.map { "; \($0) is unfinished" } ?? ""
        let log = log.map { "; log: \($0)" } ?? ""
        return "\(name) \(words)\(time): \(error)\(left); \(wayOut)\(log)"
    }

    /// The same end, for a user who must not see the directories of files.
    package var withoutDirectories: RecorderEnd {
        var end = self
        func name(_ path: String) -> String { path.lastComponent }
        if let file {
            end.file = name(file)
            end.wayOut = wayOut.replacing(file, with: name(file))
        }
        for path in [file, log].compactMap(\.self) {
            let directory = path.parentDirectory
            if directory.count > 1 { end.error = end.error.replacing(directory + "/", with: "") }
        }
        end.log = nil
        return end
    }
}

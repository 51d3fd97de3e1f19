import CommandInterface
import Glibc
import MediaTypes
package import RecorderStorage

/// The output of `recorder start` once the recorder is recording or armed.
package struct Announcement: Encodable, Sendable {
    private let name: String
    private let file: String?
    private let pid: Int32
    @OrNull private var retention: RetentionAccount?
    private let repaired: [RepairedRecording]

    /// Creates the output for one recorder.
    ///
    /// - Parameters:
    ///   - file: The file of the recording; nil if the recorder is armed.
    ///   - retention: The older recordings that will be deleted; nil if there are no retention rules.
    ///   - repaired: The recordings that the process repaired before it began.
    package init(
        name: RecordingName, file: String?, processID: Int32, retention: RetentionAccount? = nil,
        repaired: [RepairedRecording] = []
    ) {
        self.repaired = repaired
        self.retention = retention
        self.name = name.description
        self.file = file
        pid = processID
    }

    /// Returns the output, e.g. "recording front → /data/front.mov (pid 4711)".
    package func text(json: Bool) -> String {
        if json { return JSONText.line(self) }
        let head =
            file.map { "recording \(name) → \($0) (pid \(pid))" }
            ?? "armed \(name) (pid \(pid)); `recorder start \(name)` starts a recording"
        return ([head] + (repaired.map(\.text) + (retention?.announcement ?? [])).map { "  " + $0 })
            .joined(separator: "\n")
    }
}

package enum CurrentProcess {
    package static var id: Int32 { getpid() }
}

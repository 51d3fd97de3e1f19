package import CommandInterface
import FileSystem
import Foundation
package import Logging
package import MediaTypes
package import RecorderStorage

/// Distinguishes a recorder that died from one that was stopped. A note in the state directory records that the process
/// is running, until the process itself writes how it ended.
///
/// If the note is "running" but the recorder's lock is not held, the process died.
package struct RecorderEnds: Sendable {
    private struct Note: Codable {
        var began: String
        /// The time of the end; nil while the process is running, or if it died.
        var ended: String?
        /// The reason for an early end; nil for a requested end.
        var state: RecorderEnd.State?
        var error: String?
        var isAcknowledged: Bool?
        /// The unfinished files at the time of the acknowledgement.
        var acknowledgedFiles: [String]?
    }

    private let state: StateDirectory
    private let runtime: RuntimeDirectory

    package init(in state: StateDirectory = StateDirectory(), _ runtime: RuntimeDirectory = RuntimeDirectory()) {
        self.state = state
        self.runtime = runtime
    }

    // MARK: The process' side

    /// Records that the process is running. The caller holds the name's lock.
    ///
    /// - Returns: The end of the previous process if that end was not requested; otherwise nil.
    package func begin(_ name: RecordingName, log: Logger) -> RecorderEnd? {
        let before = endIgnoringLock(of: name)
        write(Note(began: TimestampText.text(Date())), name, log)
        return before
    }

    /// Records the end of the process.
    ///
    /// - Parameter hasReported: True if the start was reported as successful. A failed start is not recorded, because
    ///   its caller gets the error directly.
    package func end(_ name: RecordingName, _ failure: RecordingFailure?, hasReported: Bool, log: Logger) {
        var note = read(name) ?? Note(began: TimestampText.text(Date()))
        note.ended = TimestampText.text(Date())
        if let failure, hasReported {
            note.state = failure.error.code == .diskFull ? .diskFull : .failed
            note.error = failure.description
        }
        write(note, name, log)
    }

    // MARK: For other processes

    /// Returns the unrequested end of a recorder; nil if the recorder is running, was stopped, or its end was
    /// acknowledged.
    package func end(of name: RecordingName) -> RecorderEnd? {
        runtime.isRunning(name) ? nil : endIgnoringLock(of: name)
    }

    private func endIgnoringLock(of name: RecordingName) -> RecorderEnd? {
        let note = read(name)
        let files = UnfinishedRecordings(name, in: state).files.filter(OutputLocation.isThere)
        if let note, note.isAcknowledged == true, files.allSatisfy((note.acknowledgedFiles ?? []).contains) {
            return nil
        }
        let log = OutputLocation.isThere(state.log(name)) ? state.log(name) : nil
        func end(_ state: RecorderEnd.State, _ time: String?, _ error: String) -> RecorderEnd {
            RecorderEnd(
                name: name.description, state: state, ended: time, error: error, file: files.last,
                wayOut: wayOut(name, files), log: log)
        }
        if let note, let cause = note.error { return end(note.state ?? .failed, note.ended, cause) }
        if let note, note.ended != nil {
            guard let file = files.last else { return nil }
            return end(.failed, note.ended, "\(file) could not be finalized")
        }
        guard note != nil || !files.isEmpty else { return nil }
        return end(
            .died, (files.last ?? log).flatMap(modified),
            "its process ended unexpectedly: it was killed, it crashed, or the machine lost power")
    }

    private func wayOut(_ name: RecordingName, _ files: [String]) -> String {
        let start = "`recorder start \(name)`"
        let repair = files.last.map { "\(start) or `recorder repair \(Self.quoted($0))` finalizes it" }
        return (repair ?? "\(start) records again") + ", `recorder status \(name) --acknowledge` clears this"
    }

    /// Quotes a path for a shell.
    private static func quoted(_ path: String) -> String {
        let isPlain = path.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || "/._-+:@%,".contains($0) }
        return isPlain ? path : "'" + path.replacing("'", with: "'\\''") + "'"
    }

    /// Returns the modification time of a file, which is the approximate time at which its process died.
    private func modified(_ path: String) -> String? {
        var kind = stat()
        guard stat(path, &kind) == 0 else { return nil }
        return TimestampText.text(Date(timeIntervalSince1970: Double(kind.st_mtim.tv_sec)))
    }

    /// The recorders for which an end is stored or unfinished files are listed, in alphabetical order.
    package var names: [RecordingName] {
        let files = FolderContents.names(in: state.path) ?? []
        let names = files.compactMap { file in
            [".ending.json", ".unfinished.json"].first { file.hasSuffix($0) }.map { String(file.dropLast($0.count)) }
        }
        return Set(names).sorted().compactMap { try? RecordingName(parsing: $0) }
    }

    /// The ends of all recorders, in the order of their names.
    package var all: [RecorderEnd] { names.compactMap { end(of: $0) } }

    /// Removes the end of a recorder from the reports.
    ///
    /// - Throws: `ioFailure` if the acknowledgement cannot be recorded.
    package func acknowledge(_ name: RecordingName) throws(MediaError) {
        guard let end = end(of: name) else { return }
        var note = read(name) ?? Note(began: end.ended ?? TimestampText.text(Date()))
        note.isAcknowledged = true
        note.acknowledgedFiles = UnfinishedRecordings(name, in: state).files
        do { try store(note, name) } catch {
            throw MediaError(
                .ioFailure, "cannot acknowledge the end of \(name)",
                reason: (error as? MediaError)?.reason ?? "\(error)")
        }
    }

    // MARK: -

    private func read(_ name: RecordingName) -> Note? {
        FileContents.bytes(of: state.ending(name)).flatMap { try? JSONDecoder().decode(Note.self, from: Data($0)) }
    }

    private func write(_ note: Note, _ name: RecordingName, _ log: Logger) {
        do { try store(note, name) } catch {
            log.warning("cannot record the end of this process in \(state.ending(name)): \(error)")
        }
    }

    private func store(_ note: Note, _ name: RecordingName) throws {
        let code = FolderContents.create(state.path, mode: 0o700)
        guard code == 0 else { throw MediaError(errno: code, "cannot create \(state.path)") }
        try AtomicFile.write(JSONText.data(note), to: state.ending(name), overwrite: true)
    }
}

extension RecorderEnds {
    /// Returns which recorders are running and how others ended, in Prometheus' text format. Monitoring can use this
    /// text even if no recorder is running.
    ///
    /// - Parameter names: The recorders to report; if empty, all recorders that are running or ended early.
    package func prometheusText(_ names: [RecordingName] = []) -> String {
        let names = names.isEmpty ? Set(runtime.running() + self.names).sorted { "\($0)" < "\($1)" } : names
        var up = "# HELP recorder_up 1 if the recorder's process is running, 0 if not.\n# TYPE recorder_up gauge\n"
        var ends = """
            # HELP recorder_ended 1 if an unstopped recorder ended in this state, until it is restarted or acknowledged.
            # TYPE recorder_ended gauge

            """
        for name in names {
            up += "recorder_up{name=\"\(name)\"} \(runtime.isRunning(name) ? 1 : 0)\n"
            let end = end(of: name)
            for each in RecorderEnd.State.allCases {
                ends += "recorder_ended{name=\"\(name)\",state=\"\(each.rawValue)\"} \(end?.state == each ? 1 : 0)\n"
            }
        }
        return up + ends
    }
}

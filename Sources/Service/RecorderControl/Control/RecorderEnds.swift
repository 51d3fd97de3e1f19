package import CommandInterface
import FileSystem
import Foundation
package import Logging
package import MediaTypes
package import RecorderStorage

/// Distinguishes a recorder that died from one that was stopped. A note in the state directory records that the process
/// is running, until the process itself writes how it ended.
///
/// If the note is "running" but no process holds the recorder's locks, the process died. One lock is in the runtime
/// directory. The other is next to the note, because a user can have several runtime directories: a login session has
/// `$XDG_RUNTIME_DIR`, while cron and sudo(8) may have none.
package struct RecorderEnds: Sendable {
    private struct Note: Codable {
        var began: String
        /// True if the process held the lock next to the note; nil in the notes of 0.1.
        var isLocked: Bool?
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

    /// Locks the note and the lists of a recorder for this process.
    ///
    /// - Returns: The lock; nil if the state directory cannot contain one. Other processes then find this process only
    ///   in its runtime directory.
    /// - Throws: `busy` if a process with another runtime directory records under this name.
    package func lock(_ name: RecordingName, log: Logger) throws(MediaError) -> InstanceLock? {
        let path = state.process(name)
        do throws(MediaError) {
            try state.create()
            return try InstanceLock(path, runtime: runtime) { _ in
                let other = ProcessElsewhere(name, InstanceLock.holder(path))
                return MediaError(
                    .busy, "cannot start \(name)", reason: "it is already recording\(other.place)",
                    wayOut: "\(other.stop), or choose another name")
            }
        } catch {
            guard error.code != .busy else { throw error }
            log.warning("commands with another runtime directory may report that this process died: \(error)")
            return nil
        }
    }

    /// Records that the process is running. The caller holds the name's locks.
    ///
    /// - Parameter isLocked: True if the caller holds the lock that `lock` returns.
    /// - Returns: The end of the previous process if that end was not requested; otherwise nil.
    package func begin(_ name: RecordingName, isLocked: Bool = false, log: Logger) -> RecorderEnd? {
        let before = isUnlockedProcessWriting(name) ? nil : endIgnoringLocks(of: name)
        write(Note(began: TimestampText.text(Date()), isLocked: isLocked), name, log)
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
        isRunning(name) ? nil : endIgnoringLocks(of: name)
    }

    /// Returns true if the recorder's process is running, whatever its runtime directory is.
    package func isRunning(_ name: RecordingName) -> Bool {
        runtime.isRunning(name) || isLocked(name) || isUnlockedProcessWriting(name)
    }

    /// Returns the process of the recorder if it is running, but cannot be reached in this runtime directory.
    package func elsewhere(_ name: RecordingName) -> ProcessElsewhere? {
        guard isLocked(name), !runtime.isRunning(name) else { return nil }
        return ProcessElsewhere(name, InstanceLock.holder(state.process(name)))
    }

    /// The recorders that run, but cannot be reached in this runtime directory, in the order of their names.
    package var allElsewhere: [ProcessElsewhere] { names.compactMap { elsewhere($0) } }

    private func isLocked(_ name: RecordingName) -> Bool { InstanceLock.isHeld(at: state.process(name)) == true }

    /// Returns true if a process without a lock in the state directory is writing a listed file. A process of version
    /// 0.1 has no such lock, and can be running during an upgrade.
    private func isUnlockedProcessWriting(_ name: RecordingName) -> Bool {
        let note = read(name)
        return note?.isLocked != true && note?.ended == nil && UnfinishedRecordings(name, in: state).isAnyBeingWritten
    }

    private func endIgnoringLocks(of name: RecordingName) -> RecorderEnd? {
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
        try state.create()
        try AtomicFile.write(JSONText.data(note), to: state.ending(name), overwrite: true)
    }
}

extension RecorderEnds {
    /// Returns which recorders are running and how others ended, in Prometheus' text format. Monitoring can use this
    /// text even if no recorder is running.
    ///
    /// - Parameter names: The recorders to report; if empty, all recorders that are running or ended early.
    package func prometheusText(_ names: [RecordingName] = []) -> String {
        var names = names
        if names.isEmpty {
            names = Set(runtime.running() + self.names).sorted { "\($0)" < "\($1)" }
                .filter { isRunning($0) || end(of: $0) != nil }
        }
        var up = "# HELP recorder_up 1 if the recorder's process is running, 0 if not.\n# TYPE recorder_up gauge\n"
        var ends = """
            # HELP recorder_ended 1 if an unstopped recorder ended in this state, until it is restarted or acknowledged.
            # TYPE recorder_ended gauge

            """
        for name in names {
            up += "recorder_up{name=\"\(name)\"} \(isRunning(name) ? 1 : 0)\n"
            let end = end(of: name)
            for each in RecorderEnd.State.allCases {
                ends += "recorder_ended{name=\"\(name)\",state=\"\(each.rawValue)\"} \(end?.state == each ? 1 : 0)\n"
            }
        }
        return up + ends
    }
}

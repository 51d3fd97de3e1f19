import CommandInterface
import Foundation
package import Logging
package import RecorderStorage

/// Logs to systemd's journal, with priorities and with fields for searching:
/// `journalctl RECORDER_NAME=front PRIORITY=3`.
package struct JournalLog: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var logLevel: Logger.Level
    private let name: RecordingName
    private let journal: DatagramSocket

    init?(_ name: RecordingName, level: Logger.Level = .info, journal: String = "/run/systemd/journal/socket") {
        guard let journal = DatagramSocket(path: journal) else { return nil }
        self.name = name
        self.journal = journal
        logLevel = level
    }

    /// Returns a logger for the journal; nil if standard error does not go to the journal.
    package static func logger(_ name: RecordingName, level: Logger.Level = .info) -> Logger? {
        guard isStandardErrorTheJournal(), let handler = JournalLog(name, level: level) else { return nil }
        return Logger(label: "recorder") { _ in handler }
    }

    /// Returns true if `JOURNAL_STREAM`, "device:inode", identifies the current standard error (systemd.exec(5)).
    static func isStandardErrorTheJournal(
        environment: [String: String] = ProcessInfo.processInfo.environment, descriptor: Int32 = 2
    ) -> Bool {
        var kind = stat()
        guard let stream = environment["JOURNAL_STREAM"], fstat(descriptor, &kind) == 0 else { return false }
        return stream == "\(kind.st_dev):\(kind.st_ino)"
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var entry = JournalEntry()
        entry.add("PRIORITY", String(JournalEntry.priority(event.level)))
        entry.add("SYSLOG_IDENTIFIER", "recorder")
        entry.add("MESSAGE", "\(event.message)")
        entry.add("RECORDER_NAME", name.description)
        if let error = event.error { entry.add("RECORDER_ERROR", "\(error)") }
        entry.add("CODE_FILE", event.file)
        entry.add("CODE_LINE", String(event.line))
        entry.add("CODE_FUNC", event.function)
        let facts = (event.metadata ?? [:]).merging(metadata) { own, _ in own }
        for (key, value) in facts.sorted(by: { $0.key < $1.key }) {
            let field = JournalEntry.fieldName(key)
            if field != "RECORDER_NAME" { entry.add(field, "\(value)") }
        }
        if journal.send(entry.bytes) { return }
        // The journal also reads standard error. A leading number in a line is its priority (sd-daemon(3)).
        StandardError.line("<\(JournalEntry.priority(event.level))>\(event.message)")
    }
}

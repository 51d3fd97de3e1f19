/// Texts that count files or tasks.
package enum ArchiveText {
    /// Returns a text such as "1 file" or "3 files".
    package static func files(_ count: Int) -> String { "\(count) \(count == 1 ? "file" : "files")" }

    /// Returns a text such as "1 task" or "3 tasks".
    package static func tasks(_ count: Int) -> String { "\(count) \(count == 1 ? "task" : "tasks")" }
}

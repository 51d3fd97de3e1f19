import Foundation
public import MediaTypes

/// The files that a recorder of one name made and finished, the oldest first: the only ones that retention may delete.
///
/// A list of JSON lines in the state directory, to which a line is added and synced when a file gets its final name. A line
/// that a crash tore is skipped. The recorder and `recorder retention` may use it at the same time. The calls touch the
/// disk; a capture thread makes none.
public struct RecordingCatalogue: Sendable {
    private let path: String

    public init(_ name: RecordingName, in state: StateDirectory = StateDirectory()) { path = state.finished(name) }

    /// Enters a file that has its final name now.
    ///
    /// - Parameters:
    ///   - root: the directory below which directories were made for it: `OutputLocation.root`.
    ///   - moment: when it was finished.
    /// - Throws: when it is no ordinary file, or the list cannot be written. The file then stays for ever.
    public func add(_ file: String, root: String? = nil, at moment: Moment = .now()) throws(MediaError) {
        var kind = stat()
        let action = "cannot note \(file) for retention"
        guard lstat(file, &kind) == 0 else { throw MediaError(errno: errno, action) }
        guard kind.st_mode & S_IFMT == S_IFREG else {
            throw MediaError(.invalidState, action, reason: "it is not an ordinary file")
        }
        let entry = FinishedRecording(path: file, identity: .init(kind), moment: moment, root: root)
        try locked { () throws(MediaError) in
            var text = JSONText.line(entry) + "\n"
            // After a torn line, on one of its own.
            if let last = FileManager.default.contents(atPath: path)?.last, last != UInt8(ascii: "\n") {
                text = "\n" + text
            }
            try append(text)
        }
    }

    /// In the order in which they were finished. A path that was entered again is where it was entered last.
    public var recordings: [FinishedRecording] {
        guard let data = FileManager.default.contents(atPath: path) else { return [] }
        let decoder = JSONDecoder()
        let all = data.split(separator: UInt8(ascii: "\n")).compactMap {
            try? decoder.decode(FinishedRecording.self, from: $0)
        }
        var seen: Set<String> = []
        return all.reversed().filter { seen.insert($0.path).inserted }.reversed()
    }

    /// Changes whenever the list does; nil without a list.
    var version: FinishedRecording.Identity? {
        var kind = stat()
        return stat(path, &kind) == 0 ? FinishedRecording.Identity(kind) : nil
    }

    /// Forgets them, in one step.
    ///
    /// - Throws: when the list cannot be written; it is as before then.
    public func remove(_ gone: Set<FinishedRecording>) throws(MediaError) {
        guard !gone.isEmpty else { return }
        try locked { () throws(MediaError) in
            let text = recordings.filter { !gone.contains($0) }.map { JSONText.line($0) + "\n" }.joined()
            do { try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic) } catch {
                throw MediaError(.ioFailure, "cannot write \(path)", reason: error.localizedDescription)
            }
        }
    }

    private func append(_ text: String) throws(MediaError) {
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw MediaError(errno: errno, "cannot open \(path)") }
        defer { close(file) }
        let bytes = Array(text.utf8)
        guard write(file, bytes, bytes.count) == bytes.count, fdatasync(file) == 0 else {
            throw MediaError(errno: errno, "cannot write \(path)")
        }
    }

    /// One process at a time changes the list: its lock is beside it, because the list itself is replaced.
    private func locked(_ body: () throws(MediaError) -> Void) throws(MediaError) {
        let directory = (path as NSString).deletingLastPathComponent
        try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else { throw MediaError(errno: errno, "cannot open \(path).lock") }
        defer { close(lock) }
        while flock(lock, LOCK_EX) != 0 {
            guard errno == EINTR else { throw MediaError(errno: errno, "cannot lock \(path).lock") }
        }
        try body()
    }
}

import CommandInterface
import FileSystem
import Foundation
package import MediaTypes

/// The accounting of a plan: JSON lines that are only appended. Each machine writes to a separate file, because
/// machines that append to the same file on NFS overwrite each other's lines (open(2), O_APPEND).
package struct Accounting: Sendable {
    private let directory: RunDirectory
    package let host: String

    package init(_ directory: RunDirectory, host: String = Accounting.thisHost) {
        self.directory = directory
        self.host = host
    }

    package static var thisHost: String {
        // Several Slurm nodes may share one machine.
        if let node = ProcessInfo.processInfo.environment["SLURMD_NODENAME"], !node.isEmpty { return node }
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, 255)
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns a line of this process with the current time.
    package func line(_ event: AccountLine.Event, task: Int, movie: RawPath? = nil) -> AccountLine {
        AccountLine(
            event, task: task, movie: movie?.planText, host: host, process: getpid(), time: Date().timeIntervalSince1970
        )
    }

    /// Appends one line with a single write.
    package func append(_ line: AccountLine) throws(MediaError) {
        let name = String(host.map { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "." ? $0 : "_" }) + ".jsonl"
        let file = try directory.openToAppend(name, in: .accounting)
        defer { close(file) }
        var text = JSONText.line(line) + "\n"
        // The previous line may be truncated, because the disk was full.
        var last: UInt8 = 0
        let end = lseek(file, 0, SEEK_END)
        if end > 0, pread(file, &last, 1, end - 1) == 1, last != UInt8(ascii: "\n") { text = "\n" + text }
        let bytes = Array(text.utf8)
        let count = write(file, bytes, bytes.count)
        guard count == bytes.count else {
            throw MediaError(
                errno: count < 0 ? errno : ENOSPC, "cannot write \(directory.accounting)/\(name)")
        }
    }

    /// A reader that returns the lines appended since its last read.
    package struct Reader {
        private let directory: String
        private var places: [String: Int64] = [:]

        package init(_ directory: RunDirectory) { self.directory = directory.accounting }

        /// Returns the new lines of all machines. Invalid lines are skipped, because a machine may have crashed while
        /// writing a line.
        package mutating func next() -> [AccountLine] {
            var lines: [AccountLine] = []
            let names = FolderContents.names(in: directory) ?? []
            for name in names.sorted() where name.hasSuffix(".jsonl") {
                let start = places[name] ?? 0
                // Most machines have written nothing since the last read. Their files are not opened.
                var facts = stat()
                guard stat("\(directory)/\(name)", &facts) == 0, Int64(facts.st_size) > start else { continue }
                let descriptor = open("\(directory)/\(name)", O_RDONLY | O_CLOEXEC)
                guard descriptor >= 0 else { continue }
                let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
                defer { try? file.close() }
                guard (try? file.seek(toOffset: UInt64(start))) != nil, let data = try? file.readToEnd(),
                    let end = data.lastIndex(of: UInt8(ascii: "\n"))
                else { continue }
                places[name] = start + Int64(end - data.startIndex) + 1
                let decoder = JSONDecoder()
                for line in data[...end].split(separator: UInt8(ascii: "\n")) {
                    if let line = try? decoder.decode(AccountLine.self, from: line) { lines.append(line) }
                }
            }
            return lines.sorted { $0.time < $1.time }
        }
    }
}

import FileSystem
import Foundation
package import MediaTypes

/// Reads a plan line by line. A user may have edited it.
package enum PlanReader {
    /// Reads and checks the entire plan.
    ///
    /// - Parameter action: The action that the caller intends, for the text of errors. If it is not nil, the plan is
    ///   refused if another user can have written it.
    /// - Throws: `corruptData` with the line and column of the first error.
    package static func read(
        _ path: String, ownFor action: String? = nil
    ) throws(MediaError) -> ArchivePlan {
        var plan: ArchivePlan?
        var check = PlanCheck()
        try lines(path, ownFor: action) { line, number throws(MediaError) in
            do throws(JSONNode.Fault) {
                switch try PlanLine(line) {
                case .header(let header):
                    guard plan == nil else { throw JSONNode.Fault(place: 0, reason: "a second header") }
                    plan = ArchivePlan(header: header)
                case .task(let task, let after):
                    guard plan != nil else {
                        throw JSONNode.Fault(place: 0, reason: "the header is missing before this line")
                    }
                    try check.add(task, line: number, after: after)
                    plan?.tasks.append(task)
                case .skipped(let skipped): plan?.skipped.append(skipped)
                }
            } catch { throw Self.error(path, number, error, line) }
            return true
        }
        guard let plan else { throw Self.error(path, 1, JSONNode.Fault(place: 0, reason: "there is no header")) }
        if let (line, fault) = check.whole() { throw Self.error(path, line, fault) }
        return plan
    }

    /// Reads the header and one task, without parsing the other tasks.
    package static func read(
        _ path: String, task number: Int
    ) throws(MediaError) -> (ArchivePlan.Header, ArchivePlan.Task) {
        var found: (ArchivePlan.Header?, ArchivePlan.Task?)
        // A line with this task must contain these digits; other lines are not parsed.
        let digits = Array(String(number).utf8)
        try lines(path) { line, place throws(MediaError) in
            guard found.0 == nil || Self.place(of: digits, in: line) != nil else { return true }
            do throws(JSONNode.Fault) {
                switch try PlanLine(line) {
                case .header(let header): if found.0 == nil { found.0 = header }
                case .task(let task, _): if task.number == number { found.1 = task }
                case .skipped: break
                }
            } catch { throw Self.error(path, place, error, line) }
            return found.1 == nil
        }
        guard let header = found.0, let task = found.1 else {
            throw MediaError(.invalidSettings, "cannot run task \(number) of \(path)", reason: "there is no such task")
        }
        return (header, task)
    }

    /// Reads some tasks of parts. Returns them in the order of the list; missing tasks are omitted.
    package static func read(_ path: String, tasks numbers: [Int]) throws(MediaError) -> [ArchivePlan.Task] {
        var left = Set(numbers)
        var found: [Int: ArchivePlan.Task] = [:]
        try lines(path) { line, place throws(MediaError) in
            // Only the lines of tasks that make parts are parsed.
            guard !left.isEmpty, line.contains(Array("\"part\"".utf8)) else { return !left.isEmpty }
            do throws(JSONNode.Fault) {
                if case .task(let task, _) = try PlanLine(line), left.remove(task.number) != nil {
                    found[task.number] = task
                }
            } catch { throw Self.error(path, place, error, line) }
            return !left.isEmpty
        }
        return numbers.compactMap { found[$0] }
    }

    private static func error(
        _ path: String, _ number: Int, _ fault: JSONNode.Fault, _ line: ArraySlice<UInt8> = []
    ) -> MediaError {
        MediaError(
            .corruptData, "cannot use \(path)",
            reason: "line \(number), column \(fault.column(in: line)): \(fault.reason)")
    }

    /// Returns the first position of `bytes` in a line. Uses the fast functions of the C library, because every task
    /// searches the entire plan.
    private static func place(of bytes: [UInt8], in line: ArraySlice<UInt8>) -> Int? {
        line.withUnsafeBytes { all -> Int? in
            guard let start = all.baseAddress, let first = bytes.first else { return nil }
            let last = all.count - bytes.count
            var from = 0
            while from <= last, let found = memchr(start + from, Int32(first), last + 1 - from) {
                let place = UnsafeRawPointer(found) - start
                if memcmp(found, bytes, bytes.count) == 0 { return line.startIndex + place }
                from = place + 1
            }
            return nil
        }
    }

    /// Reads the lines that are not empty.
    ///
    /// - Parameter each: A closure that returns false to stop.
    private static func lines(
        _ path: String, ownFor action: String? = nil, _ each: (ArraySlice<UInt8>, Int) throws(MediaError) -> Bool
    ) throws(MediaError) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw MediaError(errno: errno, "cannot open \(path)") }
        defer { close(file) }
        var facts = stat()
        guard fstat(file, &facts) == 0 else { throw MediaError(errno: errno, "cannot open \(path)") }
        if let action { try FileMetadata.checkOwner(facts, path, action: action) }
        var rest: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 20)
        var number = 0
        while true {
            let count = Glibc.read(file, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw MediaError(errno: errno, "cannot read \(path)") }
            rest += part[..<count]
            if count == 0, !rest.isEmpty { rest.append(UInt8(ascii: "\n")) }
            var start = 0
            while let end = Self.place(of: [UInt8(ascii: "\n")], in: rest[start...]) {
                number += 1
                let line = rest[start..<end]
                start = end + 1
                // Users may insert empty lines.
                guard line.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { continue }
                guard try each(line, number) else { return }
            }
            rest.removeFirst(start)
            guard count > 0 else { return }
            guard rest.count < 64 << 20 else {
                throw Self.error(path, number + 1, JSONNode.Fault(place: 0, reason: "the line is longer than 64 MiB"))
            }
        }
    }
}

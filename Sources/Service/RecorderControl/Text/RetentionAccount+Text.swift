import CommandInterface
package import RecorderStorage

extension RetentionPlanner.Removal {
    /// One line, e.g. `/data/front/a.mov · 1.2 GB · older than 30d`.
    package var text: String { "\(path) · \(NumberText.bytes(size)) · \(reason)" }
}

extension RetentionAccount {
    /// The lines of `recorder start` about retention; none if no files are due for deletion.
    var announcement: [String] {
        guard let planned, planned.files > 0 else {
            if let error { return ["no recording is deleted: \(error)"] }
            return planned == nil
                ? ["checking the finished recordings\(place); `recorder status` shows what is deleted"] : []
        }
        let more = planned.files - min(planned.files, 5)
        return ["deleting \(planned.text)\(place):"] + planned.named.prefix(5).map { "  " + $0.text }
            + (more > 0 ? ["  and \(more) more"] : []) + (error.map { ["retention: \($0)"] } ?? [])
    }

    /// One line of the status; nil if there were neither deletions nor errors.
    var text: String? {
        var facts: [String] = []
        if removed.files > 0, let last = removed.named.last {
            facts.append("deleted \(removed.text)\(place), most recently \(last.text)")
        }
        if let error { facts.append("retention: \(error)") }
        return facts.isEmpty ? nil : facts.joined(separator: " · ")
    }

    private var place: String { directory.map { " below \($0)" } ?? "" }
}

extension RetentionAccount.Removals {
    /// The number and the size, e.g. "3 finished recordings (1.2 GB)".
    fileprivate var text: String {
        "\(files) finished recording\(files == 1 ? "" : "s") (\(NumberText.bytes(bytes)))"
    }
}

extension RetentionAccount.Removal {
    fileprivate var text: String { "\(file) · \(NumberText.bytes(bytes)) · \(reason)" }
}

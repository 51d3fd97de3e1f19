import CommandInterface

extension CopyAccount {
    /// One line of the status: `copies to nas:front: sending a.mov (12 MB of 60 MB), 3 files (180 MB) wait`.
    var text: String {
        var facts: [String] = []
        switch state {
        case .notRunning: facts.append("nobody copies: `recorder copy` does")
        case .idle: facts.append("all done")
        case .sending:
            let part = sending.map { " \($0.file) (\(NumberText.bytes($0.sent)) of \(NumberText.bytes($0.bytes)))" }
            facts.append("sending" + (part ?? ""))
        case .waiting: facts.append("waiting" + (nextTry.map { " until \($0)" } ?? ""))
        case .outsideHours: facts.append("not at this hour")
        }
        if let backlog, backlog.files > 0 {
            let since = backlog.oldest.map { ", since \($0)" } ?? ""
            let files = "\(backlog.files) file\(backlog.files == 1 ? "" : "s")"
            facts.append("\(files) to copy (\(NumberText.bytes(backlog.bytes))\(since))")
        }
        if let error { facts.append(error) }
        return "copies to \(remote): " + facts.joined(separator: " · ")
    }
}

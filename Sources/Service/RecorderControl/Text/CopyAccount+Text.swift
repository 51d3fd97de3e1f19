import CommandInterface
import RecorderStorage

extension CopyAccount {
    /// Returns one line of the status of the recorder `name`:
    /// `copies to nas:front: sending a.mov (12 MB of 60 MB) · 3 files to copy (180 MB)`.
    func text(of name: String) -> String {
        var facts: [String] = []
        switch state {
        case .notRunning: facts.append("no copy process is running; start `recorder copy \(name)`")
        case .idle: facts.append("all files copied")
        case .sending:
            let part = sending.map { " \($0.file) (\(NumberText.bytes($0.sent)) of \(NumberText.bytes($0.bytes)))" }
            facts.append("sending" + (part ?? ""))
        case .waiting: facts.append("waiting" + (nextTry.map { " until \($0)" } ?? ""))
        case .outsideHours: facts.append("waiting for the copy hours")
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

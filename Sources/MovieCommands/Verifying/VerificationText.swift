import CommandInterface
import MediaTypes
package import Signing

extension Verification {
    /// The report for the user: one line, and one for each thing that differs from what was signed.
    package var text: String {
        switch verdict {
        case .unsigned: return "\(file): not signed: there is no signature in it"
        case .otherKey: return "\(file): not proven: it was signed with another key"
        case .genuine, .altered: break
        }
        var lines = ["\(file): \(verdict == .genuine ? "genuine" : "ALTERED"), \(stretch), \(endText)"]
        lines[0] += "; signed by \(recorder ?? "?")" + (number.map { ", file \($0) of its recording" } ?? "")
        lines += problems.map { "  \(place($0)): \($0.what)" }
        if !notCovered.isEmpty { lines.append("  no signature speaks of: \(notCovered.joined(separator: "; "))") }
        return lines.joined(separator: "\n")
    }

    private var stretch: String {
        let clock = uncertainty.map { "± \(NumberText.fixed($0, places: 3)) s" } ?? "by a clock that nothing sets"
        return "from \(begun ?? "?") to \(ended ?? "?") (\(NumberText.duration(duration))), \(clock)"
    }

    private var endText: String {
        switch ending {
        case .signed: "signed end"
        case .cut: "a cut, from \(NumberText.duration(cutFrom ?? 0)) of the recording on"
        case .unsigned, nil: "no signed end: a crash or a cut-off tail, which cannot be told apart"
        }
    }

    private func place(_ problem: Problem) -> String {
        let from = NumberText.duration(problem.from)
        guard let to = problem.to else { return "from \(from) on" }
        return to > problem.from ? "\(from) to \(NumberText.duration(to))" : "at \(from)"
    }
}

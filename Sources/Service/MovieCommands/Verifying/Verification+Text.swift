import CommandInterface
import MediaTypes
package import Signing

extension Verification {
    /// The report for the user: one line, and one for each thing that differs from what was signed.
    package var text: String {
        switch verdict {
        case .unsigned: return "\(file): not signed: it contains no signature"
        case .otherKey: return "\(file): not verified: it was signed with another key"
        case .genuine, .altered: break
        }
        var lines = ["\(file): \(verdict == .genuine ? "genuine" : "ALTERED"), \(coverage), \(endText)"]
        lines[0] += "; signed by \(recorder ?? "?")" + (number.map { ", file \($0) of its recording" } ?? "")
        lines += problems.map { "  \(place($0)): \($0.what)" }
        if !notCovered.isEmpty { lines.append("  not covered by the signature: \(notCovered.joined(separator: "; "))") }
        return lines.joined(separator: "\n")
    }

    private var coverage: String {
        let clock = uncertainty.map { "± \(NumberText.fixed($0, places: 3)) s" } ?? "system clock not synchronized"
        return "from \(begun ?? "?") to \(ended ?? "?") (\(NumberText.duration(duration))), \(clock)"
    }

    private var endText: String {
        switch ending {
        case .signed: "signed end"
        case .cut: "a cut that starts at \(NumberText.duration(cutFrom ?? 0)) of the recording"
        case .unsigned, nil: "no signed end: ended by a crash, or truncated later; these cannot be distinguished"
        }
    }

    private func place(_ problem: Problem) -> String {
        let from = NumberText.duration(problem.from)
        guard let to = problem.to else { return "from \(from) on" }
        return to > problem.from ? "\(from) to \(NumberText.duration(to))" : "at \(from)"
    }
}

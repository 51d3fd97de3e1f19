import CommandInterface
import MediaTypes

extension ClockAlignment {
    /// Returns a line for the user about the accuracy of the alignment and the corrections made: "in sync within 12 ms
    /// by the wall clocks, along the whole length; the clock of b.mov ran 80.0 ppm fast".
    ///
    /// - Parameter names: The names of the movies.
    func account(of names: [String]) -> String {
        var parts = [isOneBoot ? "in sync by the machine's own clock" : byTheWallClocks(names)]
        for (name, finding) in zip(names, findings) {
            if abs(finding.gain) >= Self.tellable {
                let ppm = NumberText.fixed(abs(finding.rate) * 1e6, places: 1)
                parts.append(
                    "the clock of \(name) ran \(ppm) ppm \(finding.rate > 0 ? "fast" : "slow") relative to the first recording's"
                )
            }
            if finding.step != 0 {
                parts.append(
                    "the wall clock of \(name) was set by \(NumberText.fixed(finding.step, places: 3)) s "
                        + "meanwhile, which was compensated")
            }
        }
        if leftOut >= Self.tellable {
            parts.append("\(NumberText.fixed(leftOut, places: 1)) s without any recording are left out")
        }
        return parts.joined(separator: "; ")
    }

    /// The smallest correction to report, in seconds; smaller ones are invisible and inaudible.
    private static let tellable = 0.001

    private func byTheWallClocks(_ names: [String]) -> String {
        let within =
            uncertainty.map { "in sync within \(NumberText.fixed($0 * 1000, places: 1)) ms by the wall clocks" }
            ?? "in sync by the wall clocks, with unknown accuracy"
        let short = zip(names, findings).filter { !$0.1.isKnownToItsEnd }.map(\.0)
        guard short.isEmpty else {
            return within + ", at the beginning: no later clock readings in \(short.joined(separator: ", "))"
        }
        return within + ", along the whole length"
    }
}

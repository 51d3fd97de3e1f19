/// The lines of a systemd unit.
enum UnitLines {
    /// Returns the lines of a unit. A line that ends with a backslash continues on the next one (systemd.syntax(7)).
    static func lines(of text: String) -> [String] {
        var lines: [String] = []
        var begun: String?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if begun != nil, line.hasPrefix("#") || line.hasPrefix(";") { continue }
            let whole = (begun ?? "") + String(line)
            if whole.hasSuffix("\\") {
                begun = String(whole.dropLast()) + " "
            } else {
                begun = nil
                lines.append(whole)
            }
        }
        return begun.map { lines + [$0] } ?? lines
    }
}

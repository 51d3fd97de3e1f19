import Foundation

extension EffectiveConfiguration {
    /// A line for each setting: `segment              10m          /etc/recorder/front.yaml:7`.
    public var text: String {
        let keys = lines.map(\.key.count).max() ?? 0
        // One long command is no reason to move everything to the right.
        let values = min(32, lines.map { ($0.value ?? "").count }.max() ?? 0)
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        return lines.map { line in
            let value = (line.value ?? "–").trimmingCharacters(in: .newlines).replacing("\n", with: "\\n")
            return "\(padded(line.key, keys))  \(padded(value, values))  \(line.from)"
        }.joined(separator: "\n")
    }
}

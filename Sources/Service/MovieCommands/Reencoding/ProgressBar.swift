import CommandInterface
import Foundation

/// Draws the progress of a long command: a bar on a terminal, otherwise a line every ten seconds. A pure value: it
/// returns the text to write.
package struct ProgressBar: Sendable {
    private let isTerminal: Bool
    private let duration: Double?
    private var lastLine = 0.0
    private var isDrawn = false

    /// Creates the bar.
    ///
    /// - Parameter duration: The total duration of the movie in seconds; if nil, the speed is not shown.
    package init(isTerminal: Bool, duration: Double?) {
        self.isTerminal = isTerminal
        self.duration = duration
    }

    /// Returns the text to write now; usually nil if the output is not a terminal.
    ///
    /// - Parameters:
    ///   - fraction: The progress, from 0 to 1.
    ///   - elapsed: Seconds since the beginning.
    package mutating func update(_ fraction: Double, elapsed: Double) -> String? {
        guard isTerminal || elapsed - lastLine >= 10 else { return nil }
        lastLine = elapsed
        let fraction = fraction.isFinite ? min(max(0, fraction), 1) : 0
        var facts = ["\(Int(clamping: (fraction * 100).rounded(.down))) %"]
        if elapsed > 0.5, fraction > 0 {
            if let duration { facts.append("\(NumberText.fixed(fraction * duration / elapsed, places: 1))×") }
            if fraction < 1 { facts.append("\(NumberText.duration(elapsed / fraction - elapsed)) left") }
        }
        let text = facts.joined(separator: " · ")
        guard isTerminal else { return text + "\n" }
        isDrawn = true
        let width = 30
        let filled = Int(clamping: (fraction * Double(width)).rounded(.down))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        // Carriage return; the rest of a longer line is erased (ECMA-48, EL).
        return "\r\(bar) \(text)\u{1B}[K"
    }

    /// Returns the text that clears the bar.
    package mutating func end() -> String? {
        defer { isDrawn = false }
        return isDrawn ? "\r\u{1B}[K" : nil
    }
}

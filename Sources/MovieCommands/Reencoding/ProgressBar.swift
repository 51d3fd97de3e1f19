import CommandInterface
import Foundation

/// Draws how far a long command is: a bar on a terminal, a line every ten seconds elsewhere. A pure value but for what it is
/// told to write.
package struct ProgressBar: Sendable {
    private let isTerminal: Bool
    private let duration: Double?
    private var lastLine = 0.0
    private var isDrawn = false

    /// - Parameter duration: seconds of film in all; nil: nobody knows, and the speed is not told.
    package init(isTerminal: Bool, duration: Double?) {
        self.isTerminal = isTerminal
        self.duration = duration
    }

    /// What to write now, nothing most of the time elsewhere than on a terminal.
    ///
    /// - Parameters:
    ///   - fraction: done, 0 to 1.
    ///   - elapsed: seconds since the beginning.
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
        // Carriage return, and what is left of a longer line is erased (ECMA-48, EL).
        return "\r\(bar) \(text)\u{1B}[K"
    }

    /// Clears what was drawn.
    package mutating func end() -> String? {
        defer { isDrawn = false }
        return isDrawn ? "\r\u{1B}[K" : nil
    }
}

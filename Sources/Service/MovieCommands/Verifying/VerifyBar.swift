import CommandInterface
import RealTime

/// The progress line of `recorder verify` on a terminal.
package final class VerifyBar: Sendable {
    private struct State {
        var bar = ProgressBar(isTerminal: true, duration: nil)
        var done = 0
        var told = -1.0
    }

    private let files: Int
    private let isShown = StandardError.isTerminal
    private let began = ContinuousClock.now
    private let state = Locked(State())
    /// Seconds between two redraws.
    private static let interval = 0.1

    package init(files: Int) { self.files = max(1, files) }

    /// Begins the file with this index, counted from 0.
    package func begin(_ index: Int) { state.withLock { $0.done = index } }

    /// Updates the progress of the file, 0 to 1. Thread-safe.
    package func reach(_ fraction: Double) {
        guard isShown else { return }
        let elapsed = began.duration(to: .now).seconds
        state.withLock { state in
            guard elapsed - state.told >= Self.interval else { return }
            state.told = elapsed
            let all = (Double(state.done) + min(max(0, fraction), 1)) / Double(files)
            if let text = state.bar.update(all, elapsed: elapsed) { StandardError.write(text) }
        }
    }

    /// Clears the line while `print` prints permanent output.
    package func interrupt(_ print: () -> Void) {
        state.withLock { state in
            if let text = state.bar.end() { StandardError.write(text) }
            print()
        }
    }
}

extension Duration {
    fileprivate var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

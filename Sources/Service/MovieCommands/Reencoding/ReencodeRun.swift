import AssetIO
package import CommandInterface
import MediaTypes

/// Runs a re-encoding for the user. Shows a progress bar, and the summary on standard error. After an interrupt, no
/// file is left.
package struct ReencodeRun: Sendable {
    private let reencoder: any Reencoding
    private let isQuiet: Bool

    package init(_ reencoder: any Reencoding, isQuiet: Bool) {
        self.reencoder = reencoder
        self.isQuiet = isQuiet
    }

    /// Runs the re-encoding.
    ///
    /// - Throws: The reason for a failure; `cancelled` after INT, TERM or HUP.
    package func run() async throws(RecordingFailure) -> ReencodeSummary {
        let reencoder = reencoder
        do {
            try SignalWatcher.start(finish: { reencoder.cancel() }, quit: {})
        } catch {
            throw RecordingFailure(.recording, MediaError(errno: error.errno, "cannot start a thread for signals"))
        }
        let drawing = isQuiet ? nil : Task { await draw() }
        let result: Result<ReencodeSummary, RecordingFailure>
        do throws(RecordingFailure) { result = .success(try await reencoder.run()) } catch { result = .failure(error) }
        drawing?.cancel()
        await drawing?.value
        let summary = try result.get()
        for damage in summary.damage { StandardError.line("recorder: \(damage.text)") }
        if !isQuiet {
            for line in summary.leftOut { StandardError.line("left out: \(line)") }
            StandardError.line("  " + summary.text)
        }
        return summary
    }

    private func draw() async {
        var bar = ProgressBar(isTerminal: StandardError.isTerminal, duration: reencoder.duration)
        let began = ContinuousClock.now
        while !Task.isCancelled {
            let elapsed = began.duration(to: .now)
            let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
            let fraction = reencoder.progress
            if let text = bar.update(fraction, elapsed: seconds) { StandardError.write(text) }
            // The drawing interval; nothing depends on it.
            try? await Task.sleep(for: .milliseconds(100))
        }
        if let text = bar.end() { StandardError.write(text) }
    }
}

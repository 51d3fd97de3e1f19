package import MediaTypes
import RealTime

/// Feeds an input from a thread that is not a task: an append waits until the input is ready.
///
/// Only one thread at a time may call, and never a capture thread.
package final class BlockingFeed: Sendable {
    private let input: AssetWriterInput
    /// True if the readiness has changed since the last wait.
    private let hasChanged: Locked<Bool>

    /// - Parameter input: the input of a source that can wait.
    package init(_ input: AssetWriterInput) {
        let hasChanged = Locked(false)
        self.input = input
        self.hasChanged = hasChanged
        input.feed.readiness.observe {
            hasChanged.withLock { $0 = true }
            hasChanged.signal()
        }
    }

    /// Appends a sample as soon as the input is ready. Blocks until then.
    ///
    /// - Throws: the errors of `AssetWriterInput.append`.
    package func append(_ sample: SampleBuffer) throws(MediaError) {
        while try !input.append(sample) {
            hasChanged.waiting { changed -> Void? in
                guard changed else { return nil }
                changed = false
                return ()
            }
        }
    }
}

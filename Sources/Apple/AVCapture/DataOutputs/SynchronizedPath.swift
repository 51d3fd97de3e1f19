import AVFoundation
import Dispatch
import MediaTypes

/// The path of a data output's samples to a synchronizer, in place of the output's own delegate.
final class SynchronizedPath: Sendable {
    /// A sample, or the report of one that was dropped.
    struct Item: Sendable {
        let buffer: CMSampleBuffer
        let time: MediaTime
        /// Why the sample was dropped; nil if it was not.
        let reason: WaitingSamples.Reason?
        /// True for a loss between two samples, which has no time of its own.
        var isLoss = false
    }

    let queue: DispatchQueue
    /// Called on the queue.
    let receive: @Sendable (Item) -> Void
    /// Called when the session has started or stopped, on any thread.
    let sessionIsRunning: @Sendable (Bool) -> Void

    init(
        queue: DispatchQueue, receive: @escaping @Sendable (Item) -> Void,
        sessionIsRunning: @escaping @Sendable (Bool) -> Void
    ) {
        self.queue = queue
        self.receive = receive
        self.sessionIsRunning = sessionIsRunning
    }
}

/// A data output that a synchronizer can use.
protocol SynchronizableOutput: AVCaptureOutput {
    /// Sends samples along the path from now on, and no longer to the output's delegate.
    func follow(_ path: SynchronizedPath)

    /// Sends samples to the output's delegate again, unless it follows another path.
    func leave(_ path: SynchronizedPath)
}

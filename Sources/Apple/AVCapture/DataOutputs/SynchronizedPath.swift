import AVFoundation
import Dispatch
import MediaTypes

/// The path of a data output's samples to a synchronizer, which replaces the output's own delegate.
final class SynchronizedPath: Sendable {
    /// A sample, or the report of one that was dropped.
    struct Item: Sendable {
        let buffer: CMSampleBuffer
        let time: MediaTime
        /// Why the sample was dropped; nil if it was not.
        let reason: WaitingSamples.Reason?
        /// True for a report of samples that the device lost, which have no times of their own.
        var isLoss = false
    }

    let queue: DispatchQueue
    /// Receives each item. Called on the queue.
    let receive: @Sendable (Item) -> Void
    /// Receives the session's state. Called when the session has started or stopped, on any thread.
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
    /// Starts to send samples along the path instead of to the output's delegate.
    func follow(_ path: SynchronizedPath)

    /// Sends samples to the output's delegate again. Does nothing if the output follows another path.
    func leave(_ path: SynchronizedPath)
}

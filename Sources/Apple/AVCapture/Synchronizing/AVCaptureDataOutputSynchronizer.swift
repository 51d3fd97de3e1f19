public import Foundation
import MediaTypes
import RealTime

/// Delivers samples of several data outputs together if they were captured at the same time.
///
/// Samples are matched by the kernel's timestamps. A sample of another output is grouped with a sample of the first
/// output if their times differ by at most half of the interval between two samples. A sample without a counterpart is
/// delivered alone. A sample waits while another output may still deliver its counterpart, but at most 250 ms.
open class AVCaptureDataOutputSynchronizer: NSObject, @unchecked Sendable {
    // Unchecked: mutable state is protected by locks.
    private struct State {
        weak var delegate: (any AVCaptureDataOutputSynchronizerDelegate)?
        var queue: DispatchQueue?
        /// The path of each output; empty without a delegate.
        var paths: [SynchronizedPath] = []
    }

    /// The outputs, the leading one first.
    public let dataOutputs: [AVCaptureOutput]
    private let outputs: [any SynchronizableOutput]
    private let state = Locked(State())
    private let matcher: Locked<SampleMatcher<SynchronizedPath.Item>>

    /// - Parameter dataOutputs: Video and audio data outputs that belong to a session. The first one leads. Other kinds
    ///   of outputs, and duplicates, are ignored.
    public init(dataOutputs: [AVCaptureOutput]) {
        var outputs: [any SynchronizableOutput] = []
        for case let output as any SynchronizableOutput in dataOutputs
        where !outputs.contains(where: { $0 === output }) {
            outputs.append(output)
        }
        self.outputs = outputs
        self.dataOutputs = outputs.map { $0 as AVCaptureOutput }
        matcher = Locked(SampleMatcher(outputCount: outputs.count))
        super.init()
    }

    deinit { leave(state.withLock { $0.paths }) }

    open var delegate: (any AVCaptureDataOutputSynchronizerDelegate)? { state.withLock { $0.delegate } }
    open var delegateCallbackQueue: DispatchQueue? { state.withLock { $0.queue } }

    /// Sets the delegate that receives the collections. The synchronizer does not retain the delegate. While it has
    /// one, the outputs' own delegates are not called.
    ///
    /// - Parameter delegateCallbackQueue: A serial queue, or nil for a private one. If the delegate is slow, samples
    ///   are dropped, as they are for an output's slow delegate, and reported as dropped data.
    open func setDelegate(
        _ delegate: (any AVCaptureDataOutputSynchronizerDelegate)?, queue delegateCallbackQueue: DispatchQueue?
    ) {
        let queue =
            delegate == nil
            ? nil : delegateCallbackQueue ?? DispatchQueue(label: "recorder.data-output-synchronizer")
        let paths = queue.map { makePaths(to: $0) } ?? []
        let before = state.withLock { state in
            let before = state.paths
            state.delegate = delegate
            state.queue = queue
            state.paths = paths
            return before
        }
        leave(before)
        matcher.withLock { $0 = SampleMatcher(outputCount: outputs.count) }
        for (output, path) in zip(outputs, paths) { output.follow(path) }
    }

    private func leave(_ paths: [SynchronizedPath]) {
        for (output, path) in zip(outputs, paths) { output.leave(path) }
    }

    private func makePaths(to queue: DispatchQueue) -> [SynchronizedPath] {
        // The delegate gets one call at a time, even if the program's queue is concurrent.
        let queue = DispatchQueue(label: "recorder.synchronized", target: queue)
        return outputs.indices.map { output in
            SynchronizedPath(queue: queue) { [weak self] item in
                self?.change { matcher in
                    matcher.add(item, at: item.time.nanoseconds, from: output, isAlone: item.isLoss)
                }
            } sessionIsRunning: { [weak self] isRunning in
                queue.async { [weak self] in self?.change { $0.setEnded(!isRunning, output) } }
            }
        }
    }

    /// Changes the matcher, then delivers the groups that are complete. Called on the queue.
    private func change(_ body: (inout SampleMatcher<SynchronizedPath.Item>) -> Void) {
        let groups = matcher.withLock { matcher in
            body(&matcher)
            var groups: [[SampleMatcher<SynchronizedPath.Item>.Match]] = []
            while let group = matcher.next() { groups.append(group) }
            return groups
        }
        guard !groups.isEmpty, let delegate else { return }
        for group in groups {
            let data = group.map { match in
                (
                    output: dataOutputs[match.output],
                    data: AVCaptureSynchronizedSampleBufferData(match.item) as AVCaptureSynchronizedData
                )
            }
            delegate.dataOutputSynchronizer(self, didOutput: AVCaptureSynchronizedDataCollection(data))
        }
    }
}

/// The receiver of synchronized data, called on the queue that was passed with the delegate, one call at a time.
public protocol AVCaptureDataOutputSynchronizerDelegate: NSObjectProtocol {
    func dataOutputSynchronizer(
        _ synchronizer: AVCaptureDataOutputSynchronizer,
        didOutput synchronizedDataCollection: AVCaptureSynchronizedDataCollection)
}

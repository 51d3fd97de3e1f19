import AVFoundation

/// The path of one track's samples from a reader to a writer, with its part of listings 16 and 18.
final class TrackPath: @unchecked Sendable {
    // Unchecked: after `start` was called, only the queue uses what changes.
    private let output: AVAssetReaderOutput
    private let input: AVAssetWriterInput
    private let queue: DispatchQueue
    private let group: DispatchGroup
    private var isFinished = false
    private var count = 0
    /// Called on the queue after each sample, with the number of samples so far.
    var didAppend: (@Sendable (Int) -> Void)?

    init(_ output: AVAssetReaderOutput, _ input: AVAssetWriterInput, _ queue: DispatchQueue, _ group: DispatchGroup) {
        self.output = output
        self.input = input
        self.queue = queue
        self.group = group
    }

    /// Appends samples whenever the input is ready. The group is left at the end.
    func start() {
        group.enter()
        input.requestMediaDataWhenReady(on: queue) { [self] in
            dispatchPrecondition(condition: .onQueue(queue))
            // The block may be called again after the end.
            if isFinished { return }
            while input.isReadyForMoreMediaData {
                guard let sample = output.copyNextSampleBuffer(), input.append(sample) else { return finish() }
                count += 1
                didAppend?(count)
            }
        }
    }

    /// Ends the path before its samples do.
    func cancel() {
        queue.async { [self] in finish() }
    }

    private func finish() {
        if isFinished { return }
        isFinished = true
        input.markAsFinished()
        group.leave()
    }
}

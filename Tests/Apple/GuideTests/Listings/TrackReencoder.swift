import AVFoundation

/// Listing 12: appends what one output of a reader returns to one input of a writer.
final class TrackReencoder: @unchecked Sendable {
    // Unchecked: constant; the reader and the writer may be called from any thread.
    private let reader: AVAssetReader
    private let writer: AVAssetWriter
    private let output: AVAssetReaderOutput
    private let input: AVAssetWriterInput

    init(_ reader: AVAssetReader, _ output: AVAssetReaderOutput, _ writer: AVAssetWriter, _ input: AVAssetWriterInput) {
        self.reader = reader
        self.output = output
        self.writer = writer
        self.input = input
    }

    /// Starts and returns; reader and writer must have been started.
    ///
    /// - Parameter completion: called once, on a queue of its own, with the error if there was one.
    func start(completion: @escaping @Sendable ((any Error)?) -> Void) {
        let queue = DispatchQueue(label: "\(self) serialization queue")
        input.requestMediaDataWhenReady(on: queue) { [self] in
            while input.isReadyForMoreMediaData {
                if let sample = output.copyNextSampleBuffer() {
                    if !input.append(sample), writer.status == .failed {
                        input.markAsFinished()
                        return completion(writer.error)
                    }
                } else {
                    input.markAsFinished()
                    return completion(reader.status == .failed ? reader.error : nil)
                }
            }
        }
    }
}

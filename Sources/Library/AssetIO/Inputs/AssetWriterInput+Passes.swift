public import Dispatch
public import MediaTypes
import RealTime

extension AssetWriterInput {
    /// Indicates that the encoder needs several passes over the source. Known once writing has started; false before.
    ///
    /// Several passes are needed if `performsMultiPassEncodingIfSupported` is set, the source is not live, and the
    /// settings request H.264 or HEVC with a bit rate. A constant quality needs no second pass.
    public var canPerformMultiplePasses: Bool { (path?.admission.traits.passCount ?? 1) > 1 }

    /// The parts of the source that the current pass needs; nil before the session, between two passes, and after the
    /// last one.
    public var currentPassDescription: PassDescription? {
        if case .pass(_, let description) = feed.passes.value { description } else { nil }
    }

    /// Calls `block` on `queue` when a pass begins, and once more after the last one, with `currentPassDescription`
    /// nil. The client then calls `markAsFinished`.
    ///
    /// In the block the client requests the pass's media with `requestMediaDataWhenReady`, and ends it with
    /// `markCurrentPassAsFinished`. An input that is encoded once has one pass. The block is also called once more
    /// after a failure, but never after `markAsFinished`, `finishWriting` and `cancelWriting`.
    ///
    /// - Throws: `invalidState` if another block responds already.
    public func respondToEachPassDescription(
        on queue: DispatchQueue, using block: @escaping @Sendable () -> Void
    ) throws(MediaError) {
        try feed.respondToEachPass(on: queue, using: block)
    }

    /// The passes as a sequence, which returns each pass when it begins. The sequence ends after the last pass, or if
    /// the input has ended or failed.
    ///
    /// ```swift
    /// for await pass in input.passDescriptions {
    ///     for sample in samples(pass.sourceTimeRanges) { try await receiver.append(sample) }
    ///     try input.markCurrentPassAsFinished()
    /// }
    /// input.markAsFinished()
    /// ```
    public var passDescriptions: PassDescriptionSequence { PassDescriptionSequence(passes: feed.passes) }

    /// Ends the current pass, after all its samples were appended. The next pass begins when the encoder is ready for
    /// it.
    ///
    /// - Throws: `invalidState` outside a pass.
    public func markCurrentPassAsFinished() throws(MediaError) {
        guard let path else {
            throw MediaError(.invalidState, "cannot finish the pass", reason: "writing has not started")
        }
        // Ends the request for media first, so that the next pass can make a new one.
        feed.endRequest()
        try path.markCurrentPassAsFinished()
    }

    /// The passes of an input, one after the other.
    public struct PassDescriptionSequence: AsyncSequence, Sendable {
        public typealias Element = PassDescription
        public typealias Failure = Never
        let passes: Watched<PassState.Phase>

        public struct AsyncIterator: AsyncIteratorProtocol {
            let passes: Watched<PassState.Phase>
            private var last: PassState.Phase?

            init(_ passes: Watched<PassState.Phase>) { self.passes = passes }

            public mutating func next() async -> PassDescription? { await next(isolation: nil) }

            public mutating func next(isolation actor: isolated (any Actor)?) async -> PassDescription? {
                while !Task.isCancelled {
                    let reading = passes.reading
                    let phase = reading.value
                    switch phase {
                    case .done, .failed, .ended: return nil
                    case .pass(_, let description) where phase != last:
                        last = phase
                        return description
                    case .pass, .notStarted, .between: await passes.change(since: reading)
                    }
                }
                return nil
            }
        }

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(passes) }
    }
}

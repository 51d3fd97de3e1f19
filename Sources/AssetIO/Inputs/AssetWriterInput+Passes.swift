public import Dispatch
public import MediaTypes
import RealTime

extension AssetWriterInput {
    /// Whether the encoder wants to see the source more than once. Known once writing has started; false before.
    ///
    /// It does where `performsMultiPassEncodingIfSupported` is set, the source is not a live one, and the settings ask for
    /// H.264 of a bit rate: a constant quality needs no second look.
    public var canPerformMultiplePasses: Bool { (track?.intake.traits.passCount ?? 1) > 1 }

    /// What the current pass wants to see; nil before the session, between two passes, and once all were given.
    public var currentPassDescription: PassDescription? {
        if case .pass(_, let description) = feed.passes.value { description } else { nil }
    }

    /// Calls `block` on `queue` when a pass begins, and once more when there is none left, with
    /// `currentPassDescription` nil: then the client calls `markAsFinished`.
    ///
    /// In the block the client asks for the pass's media with `requestMediaDataWhenReady`, and ends it with
    /// `markCurrentPassAsFinished`. An input that is encoded once has one pass. After a failure the block is called once
    /// more, too; after `markAsFinished`, `finishWriting` and `cancelWriting` never.
    ///
    /// - Throws: `invalidState` when somebody responds already.
    public func respondToEachPassDescription(
        on queue: DispatchQueue, using block: @escaping @Sendable () -> Void
    ) throws(MediaError) {
        try feed.respondToEachPass(on: queue, using: block)
    }

    /// The same as a sequence: each pass when it begins. Ends when none is left, or the input has ended or failed.
    ///
    /// ```swift
    /// for await pass in input.passDescriptions {
    ///     for sample in samples(pass.sourceTimeRanges) { try await receiver.append(sample) }
    ///     try input.markCurrentPassAsFinished()
    /// }
    /// input.markAsFinished()
    /// ```
    public var passDescriptions: PassDescriptionSequence { PassDescriptionSequence(passes: feed.passes) }

    /// Says that the current pass has been given all that it wants. The next begins when the encoder is ready for it.
    ///
    /// - Throws: `invalidState` outside a pass.
    public func markCurrentPassAsFinished() throws(MediaError) {
        guard let track else {
            throw MediaError(.invalidState, "cannot finish the pass", reason: "writing has not started")
        }
        // First, so that the next pass finds its place free.
        feed.endRequest()
        try track.markCurrentPassAsFinished()
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

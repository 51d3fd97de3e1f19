public import Dispatch
public import MediaTypes

extension AssetWriterInput {
    /// Indicates that `append` would accept a sample now. An input can become ready at any time; `readiness` reports
    /// changes. A ready input stays ready until a sample is appended, or until the session or the input ends.
    ///
    /// For a source that can wait, this keeps the tracks interleaved and limits the memory. Such an input is not ready
    /// if it is ahead of the slowest unfinished input by more than a second of media, or by more than a fragment if
    /// that is shorter. It is also not ready if 32 samples or 6 MiB wait for the encoder. An input of a live source is
    /// ready if its budget has room.
    public var isReadyForMoreMediaData: Bool { feed.readiness.value == .ready }

    /// The present value of `isReadyForMoreMediaData` and all its changes, until no more samples can be appended.
    public var readiness: ReadinessSequence { ReadinessSequence(readiness: feed.readiness) }

    /// Calls `block` on `queue` repeatedly while the input is ready. This is the pull form, for sources that can wait.
    ///
    /// The block appends while `isReadyForMoreMediaData`, and calls `markAsFinished` after the last sample. Calls never
    /// overlap. They begin with the session and are repeated whenever the input is ready. A block that appends nothing
    /// is called again immediately. The block is not called after `markAsFinished`, `markCurrentPassAsFinished`,
    /// `finishWriting` or `cancelWriting`. If the writer or the track fails, the block is called once more, although
    /// the input is not ready. The client then checks the writer's `status` and `error`.
    ///
    /// Not for live sources, because they cannot deliver samples on request.
    ///
    /// - Throws: `invalidState` for a second request, and once the input is finished. In a multi-pass encoding, each
    ///   pass may have one request.
    public func requestMediaDataWhenReady(
        on queue: DispatchQueue, using block: @escaping @Sendable () -> Void
    ) throws(MediaError) {
        try feed.request(on: queue, using: block)
    }
}

extension AssetWriterInput {
    /// The values of `isReadyForMoreMediaData`: the present one immediately, then one after every change. The sequence
    /// ends when no more samples can be appended, or the task is cancelled. Iterators are independent. A slow iterator
    /// gets only the latest value, which may equal its previous one. So a client that got `true` and appended until a
    /// sample was refused gets `true` again, even if the input was unready only for a moment.
    public struct ReadinessSequence: AsyncSequence, Sendable {
        public typealias Element = Bool
        public typealias Failure = Never
        let readiness: Watched<Readiness>

        public struct AsyncIterator: AsyncIteratorProtocol {
            let readiness: Watched<Readiness>
            private var last: Watched<Readiness>.Reading?

            init(_ readiness: Watched<Readiness>) { self.readiness = readiness }

            public mutating func next() async -> Bool? {
                await next(isolation: nil)
            }

            public mutating func next(isolation actor: isolated (any Actor)?) async -> Bool? {
                if let last { await readiness.change(since: last) }
                guard !Task.isCancelled else { return nil }
                let reading = readiness.reading
                guard !reading.value.isOver else { return nil }
                last = reading
                return reading.value == .ready
            }
        }

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(readiness) }
    }
}

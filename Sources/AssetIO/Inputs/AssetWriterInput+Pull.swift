public import Dispatch
public import MediaTypes

extension AssetWriterInput {
    /// Whether `append` would take a sample now. Changes at any time; `readiness` tells when.
    ///
    /// For a source that can wait it keeps the tracks interleaved and the memory bounded: an input that is ahead of the
    /// slowest unfinished one by more than a second of media (or a fragment, where that is shorter) is not ready, nor is
    /// one with 32 samples or 6 MiB waiting for the encoder. For a live source it tells whether its budget is used up.
    public var isReadyForMoreMediaData: Bool { feed.readiness.value == .ready }

    /// `isReadyForMoreMediaData` now, and every change of it, until nothing can be appended any more.
    public var readiness: ReadinessSequence { ReadinessSequence(readiness: feed.readiness) }

    /// Calls `block` on `queue` again and again while the input is ready: the pull form, for sources that can wait.
    ///
    /// The block appends while `isReadyForMoreMediaData`, and calls `markAsFinished` when there is nothing more. It is
    /// called with one call at a time, from the session's start on, and again whenever the input is ready; a block that
    /// appends nothing is called again at once. It is not called after `markAsFinished`, `markCurrentPassAsFinished`,
    /// `finishWriting` or `cancelWriting`. When the writer or the track fails it is called once more, not being ready:
    /// so the client learns of it, and looks at the writer's `status` and `error`.
    ///
    /// Not for live sources, which nobody can ask for more.
    ///
    /// - Throws: `invalidState` for a second request (each pass of a multi-pass encoding has its own), and once the
    ///   input is finished.
    public func requestMediaDataWhenReady(
        on queue: DispatchQueue, using block: @escaping @Sendable () -> Void
    ) throws(MediaError) {
        try feed.request(on: queue, using: block)
    }
}

extension AssetWriterInput {
    /// `isReadyForMoreMediaData` from now on: its value at once, then one after every change. Ends when nothing can be
    /// appended any more, or the task is cancelled. Every iterator has a view of its own. One that is slow sees the latest
    /// value only, which may be the one it saw last: so whoever saw `true` and appended until it was refused is told
    /// `true` again, however short the pause was.
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

/// Whether an input takes samples, and whether it ever will again.
enum Readiness: Sendable, Equatable {
    case notReady, ready
    /// The track failed: whoever feeds it has to learn of it.
    case failed
    /// The client itself ended it: `markAsFinished`, `finishWriting`, `cancelWriting`.
    case over

    var isOver: Bool { self == .failed || self == .over }
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

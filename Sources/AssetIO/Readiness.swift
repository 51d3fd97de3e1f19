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
    /// `isReadyForMoreMediaData` from now on: its value at once, then every change. Ends when nothing can be appended any
    /// more. Every iterator sees all of it by itself; one that is slow sees the latest.
    public struct ReadinessSequence: AsyncSequence, Sendable {
        public typealias Element = Bool
        public typealias Failure = Never
        let readiness: Watched<Readiness>

        public struct AsyncIterator: AsyncIteratorProtocol {
            let readiness: Watched<Readiness>
            private var last: Readiness?

            init(_ readiness: Watched<Readiness>) { self.readiness = readiness }

            public mutating func next() async -> Bool? {
                await next(isolation: nil)
            }

            public mutating func next(isolation actor: isolated (any Actor)?) async -> Bool? {
                if let last { await readiness.change(from: last) }
                let value = readiness.value
                // Unchanged: the task was cancelled.
                guard !value.isOver, value != last else { return nil }
                last = value
                return value == .ready
            }
        }

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(readiness) }
    }
}

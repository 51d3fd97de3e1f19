import Synchronization

/// Stops a source from another thread, even while it decodes for long without returning a sample. Thread-safe.
final class ReadingStop: Sendable, Hashable {
    private let flag = Atomic(false)

    init() {}

    var isRequested: Bool { flag.load(ordering: .relaxed) }

    func request() { flag.store(true, ordering: .relaxed) }

    static func == (a: ReadingStop, b: ReadingStop) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

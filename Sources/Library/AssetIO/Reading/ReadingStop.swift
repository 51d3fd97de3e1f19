import Synchronization

/// Asks a source to return nothing more, while it may be decoding for long without returning a sample. Any thread may
/// call.
final class ReadingStop: Sendable, Hashable {
    private let flag = Atomic(false)

    init() {}

    var isRequested: Bool { flag.load(ordering: .relaxed) }

    func request() { flag.store(true, ordering: .relaxed) }

    static func == (a: ReadingStop, b: ReadingStop) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

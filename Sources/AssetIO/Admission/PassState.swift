public import MediaTypes

/// Which of an input's passes is going on. A pure value.
struct PassState: Sendable {
    enum Phase: Sendable, Equatable {
        case notStarted
        /// Numbered from 1.
        case pass(Int, PassDescription)
        /// One was marked as finished; the encoder gets ready for the next.
        case between
        /// Every pass was given: the client marks the input as finished.
        case done
        case failed
        /// The client ended the input itself.
        case ended
    }

    private let count: Int
    private(set) var phase = Phase.notStarted
    private var number = 1
    private var isEndDue = false
    /// Whether the current pass has given the encoder anything.
    var hasSamples = false

    init(count: Int) { self.count = max(1, count) }

    /// The pass whose packets are stored.
    var isLast: Bool { number == count }

    /// Nothing can be appended until the next pass begins.
    var isBetween: Bool { phase == .between || phase == .done }

    mutating func begin(at start: MediaTime) { phase = .pass(1, PassDescription(from: start)) }

    mutating func finishCurrent() {
        phase = .between
        isEndDue = true
    }

    /// Whether the encoder has to deal with the end of a pass; true once for each.
    mutating func takeEnd() -> Bool {
        defer { isEndDue = false }
        return isEndDue
    }

    mutating func beginNext(at start: MediaTime) {
        guard phase == .between else { return }
        guard number < count else {
            phase = .done
            return
        }
        number += 1
        hasSamples = false
        phase = .pass(number, PassDescription(from: start))
    }

    mutating func end() { phase = .ended }
    mutating func fail() { phase = .failed }
}

/// What a pass of a multi-pass encoding wants to see of the source.
public struct PassDescription: Sendable, Hashable {
    /// In the samples' clock, in order. A range without an end goes as far as the source does.
    public let sourceTimeRanges: [TimeRange]

    /// The whole source from a moment on.
    init(from start: MediaTime) { sourceTimeRanges = [TimeRange(start: start, duration: .positiveInfinity)] }
}

import MediaTypes

/// The current pass of an input. A pure value.
struct PassState: Sendable {
    enum Phase: Sendable, Equatable {
        case notStarted
        /// A numbered pass, counted from 1.
        case pass(Int, PassDescription)
        /// The current pass is complete; the encoder prepares the next one.
        case between
        /// All passes are done; the client marks the input as finished.
        case done
        case failed
        /// The client ended the input itself.
        case ended
    }

    private let count: Int
    private(set) var phase = Phase.notStarted
    private var number = 1
    private var isEndDue = false
    /// True if the current pass has sent samples to the encoder.
    var hasSamples = false

    init(count: Int) { self.count = max(1, count) }

    /// True during the last pass, whose packets are stored.
    var isLast: Bool { number == count }

    /// True if nothing can be appended until the next pass begins.
    var isBetween: Bool { phase == .between || phase == .done }

    mutating func begin(at start: MediaTime) { phase = .pass(1, PassDescription(from: start)) }

    mutating func finishCurrent() {
        phase = .between
        isEndDue = true
    }

    /// Returns true, once for each pass, when the encoder must end that pass.
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

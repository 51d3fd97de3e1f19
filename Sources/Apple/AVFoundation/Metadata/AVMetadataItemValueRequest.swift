public import Foundation
import RealTime

/// A request for the value of an item that was created with `init(propertiesOf:valueLoadingHandler:)`. Only the first
/// answer is used; later answers are ignored.
open class AVMetadataItemValueRequest: NSObject, @unchecked Sendable {
    // Unchecked: mutable state is protected by the lock.
    private enum Progress {
        case waiting, asked
        case answered((any NSCopying & NSObjectProtocol)?)
        case failed(any Error)
    }

    private let state = NSCondition()
    private var progress = Progress.waiting
    private let handler: @Sendable (AVMetadataItemValueRequest) -> Void

    /// The item at the time of the request.
    public let metadataItem: AVMetadataItem?

    init(_ item: AVMetadataItem, _ handler: @escaping @Sendable (AVMetadataItemValueRequest) -> Void) {
        metadataItem = item
        self.handler = handler
    }

    open func respond(value: any NSCopying & NSObjectProtocol) { settle(.answered(value)) }
    open func respond(error: any Error) { settle(.failed(error)) }

    private func settle(_ answer: Progress) {
        state.lock()
        defer { state.unlock() }
        switch progress {
        case .waiting, .asked: progress = answer
        case .answered, .failed: return
        }
        state.broadcast()
    }

    /// Returns the answer, and blocks until there is one. The first call also calls the handler.
    func answer() throws -> (any NSCopying & NSObjectProtocol)? {
        state.lock()
        if case .waiting = progress {
            progress = .asked
            state.unlock()
            handler(self)
            state.lock()
        }
        defer { state.unlock() }
        while true {
            switch progress {
            case .waiting, .asked: state.wait()
            case .answered(let value): return value
            case .failed(let error): throw error
            }
        }
    }

    /// True if the request was answered already.
    var isAnswered: Bool {
        state.lock()
        defer { state.unlock() }
        switch progress {
        case .waiting, .asked: return false
        case .answered, .failed: return true
        }
    }
}

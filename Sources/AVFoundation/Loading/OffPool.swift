import Dispatch

/// Blocking work for asynchronous forms: done on threads of dispatch, so that Swift's pool has its own for tasks.
enum OffPool {
    static let queue = DispatchQueue(label: "recorder.avfoundation.work", attributes: .concurrent)

    static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try work() }) }
        }
    }
}

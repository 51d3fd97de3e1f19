import Dispatch
import RealTime

/// Runs blocking work for asynchronous functions on dispatch threads, so that Swift's pool stays free for tasks.
enum OffPool {
    static let queue = DispatchQueue(label: "recorder.avfoundation.work", attributes: .concurrent)

    static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await queue.result { Result { try work() } }.get()
    }
}

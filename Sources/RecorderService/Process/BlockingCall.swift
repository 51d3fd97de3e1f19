import RealTime

/// Runs a call that blocks, as opening a device or joining its thread does, on a thread of its own, so that Swift's few
/// cooperative threads stay free.
func blockingCall<Result: Sendable>(
    _ name: String, _ body: @escaping @Sendable () -> Result
) async -> Result {
    await handedOver { deliver in
        do {
            _ = try NamedThread(name) { deliver(body()) }
        } catch {
            // Out of threads: better to block one than to fail.
            deliver(body())
        }
    }
}

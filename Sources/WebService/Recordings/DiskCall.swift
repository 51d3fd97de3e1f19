import MediaTypes
import RealTime

/// What touches a disk, and so may block for long, on a thread of its own.
enum DiskCall {
    /// - Parameter name: the thread's; 15 characters count (pthread_setname_np(3)).
    static func run<Value: Sendable>(
        _ name: String = "recordings", _ body: @escaping @Sendable () throws(MediaError) -> Value
    ) async throws(MediaError) -> Value {
        let result = await blockingCall(name) { () -> Result<Value, MediaError> in
            do throws(MediaError) { return .success(try body()) } catch { return .failure(error) }
        }
        return try result.get()
    }
}

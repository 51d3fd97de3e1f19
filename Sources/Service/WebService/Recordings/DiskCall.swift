import MediaTypes
import RealTime

/// Runs a call on its own thread, because the call reads or writes a disk and may block for long.
enum DiskCall {
    /// Runs `body` on a new thread.
    ///
    /// - Parameter name: The thread's name; 15 characters are kept (pthread_setname_np(3)).
    static func run<Value: Sendable>(
        _ name: String = "recordings", _ body: @escaping @Sendable () throws(MediaError) -> Value
    ) async throws(MediaError) -> Value {
        let result = await blockingCall(name) { () -> Result<Value, MediaError> in
            do throws(MediaError) { return .success(try body()) } catch { return .failure(error) }
        }
        return try result.get()
    }
}

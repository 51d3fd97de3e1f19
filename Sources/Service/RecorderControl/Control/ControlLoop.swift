import NIOCore
import NIOPosix

/// The event loop of all control connections of this process.
///
/// One thread is enough for a few requests per second, and leaves the cores to the encoder. The event loop lasts as
/// long as the process, because the servers' tasks still use it after the last request.
enum ControlLoop {
    static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    /// Runs streams on the thread of the connections to which they write.
    static let executor = EventLoopExecutor(group.next())
}

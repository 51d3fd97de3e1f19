import NIOCore
import NIOPosix
import Testing

@testable import RecorderControl

/// Tests that tasks stay on the thread of their event loop.
@Suite struct EventLoopExecutorTests {
    /// Lasts as long as the process, as the executor demands.
    private static let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
    private let executor = EventLoopExecutor(Self.loop)

    @Test func task_waitingForTheLoop_staysOnIt() async throws {
        let places = try await withTaskExecutorPreference(executor) {
            let before = Self.loop.inEventLoop
            try await executor.wait(for: .milliseconds(1))
            return [before, Self.loop.inEventLoop]
        }
        #expect(places == [true, true])
        #expect(!Self.loop.inEventLoop)
    }

    @Test func task_resumedByAnotherThread_returnsToTheLoop() async {
        let isOnLoop = await withTaskExecutorPreference(executor) {
            await withCheckedContinuation { continuation in
                MultiThreadedEventLoopGroup.singleton.next().execute { continuation.resume() }
            }
            return Self.loop.inEventLoop
        }
        #expect(isOnLoop)
    }

    @Test func task_cancelledWhileItWaits_endsAfterTheWait() async {
        let task = Task(executorPreference: executor) { try await executor.wait(for: .milliseconds(20)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}

import Dispatch
import RealTime
import Testing

struct HandOverTests {
    /// A class whose field is written on the other thread and read by the task, as with a sample.
    private final class Made: Sendable {
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    /// The thread sanitizer checks this here; results also stay with their own work.
    @Test func result_ofAQueue_belongsToItsTask() async {
        let queue = DispatchQueue(label: "hand-over", attributes: .concurrent)
        let numbers = await withTaskGroup(of: Int.self) { group in
            for number in 0..<200 { group.addTask { await queue.result { Made(number) }.number } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(numbers.sorted() == Array(0..<200))
    }

    @Test func cancellableResult_cancelledTask_isReportedToTheWork() async {
        let queue = DispatchQueue(label: "hand-over")
        let mayEnd = Locked(false)
        let task = Task {
            await queue.cancellableResult { isCancelled in
                mayEnd.waiting { $0 ? () : nil }
                return isCancelled()
            }
        }
        task.cancel()
        mayEnd.withLock { $0 = true }
        mayEnd.broadcast()
        #expect(await task.value)
        let isCancelled = await queue.cancellableResult { $0() }
        #expect(!isCancelled)
    }

    @Test func handedOver_resultAtOnce_isNotMissed() async {
        let value = await handedOver { deliver in deliver(7) }
        #expect(value == 7)
    }
}

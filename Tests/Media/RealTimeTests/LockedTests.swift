import RealTime
import TestSupport
import Testing

@Suite struct LockedTests {
    @Test func withLock_severalThreads_losesNoUpdate() throws {
        let count = Locked(0)
        let threads = try (0..<4).map { number in
            try NamedThread("adder-\(number)") { for _ in 0..<10_000 { count.withLock { $0 += 1 } } }
        }
        for thread in threads { thread.join() }
        #expect(count.withLock { $0 } == 40_000)
    }

    @Test func withLock_thrownError_releasesTheLock() {
        struct Refusal: Error {}
        let value = Locked(1)
        #expect(throws: Refusal.self) { try value.withLock { _ throws(Refusal) in throw Refusal() } }
        #expect(value.withLock { $0 } == 1)
    }

    @Test func waiting_signal_continues() throws {
        let value = Locked(0)
        let thread = try NamedThread("setter") {
            value.withLock { $0 = 7 }
            value.signal()
        }
        #expect(value.waiting { $0 == 7 ? $0 : nil } == 7)
        thread.join()
    }

    @Test func broadcast_severalWaitingThreads_wakesEach() throws {
        let gate = Locked((isOpen: false, passed: 0))
        let threads = try (0..<3).map { number in
            try NamedThread("waiter-\(number)") {
                gate.waiting { $0.isOpen ? () : nil }
                gate.withLock { $0.passed += 1 }
            }
        }
        gate.withLock { $0.isOpen = true }
        gate.broadcast()
        for thread in threads { thread.join() }
        #expect(gate.withLock { $0.passed } == 3)
    }

    @Test func waitingAtMost_noSignal_returnsAfterItsTime() {
        let value = Locked(0)
        let start = MonotonicClock().nanoseconds
        #expect(value.waiting(atMost: 20_000_000) { _ -> Int? in nil } == nil)
        #expect(MonotonicClock().nanoseconds - start >= 20_000_000)
    }

    @Test func waitingAtMost_deadline_checksOnceMore() {
        let value = Locked(0)
        var questions = 0
        let answer = value.waiting(atMost: 1_000_000) { _ -> Int? in
            questions += 1
            return questions > 1 ? questions : nil
        }
        #expect((answer ?? 0) > 1)
    }

    @Test(arguments: [Int64.min, -1, 0]) func waitingAtMost_pastDeadline_checksAndReturns(nanoseconds: Int64) {
        #expect(Locked(3).waiting(atMost: nanoseconds) { $0 } == 3)
        #expect(Locked(3).waiting(atMost: nanoseconds) { _ -> Int? in nil } == nil)
    }

    @Test func waitingAtMost_hugeDeadline_waitsForTheSignal() throws {
        let value = Locked(0)
        let thread = try NamedThread("setter") {
            value.withLock { $0 = 1 }
            value.signal()
        }
        #expect(value.waiting(atMost: .max) { $0 == 1 ? true : nil } == true)
        thread.join()
    }
}

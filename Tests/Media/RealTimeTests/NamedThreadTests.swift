import Foundation
import Glibc
import RealTime
import TestSupport
import Testing

@Suite struct NamedThreadTests {
    @Test func join_returnsAfterTheBodyHasEnded() throws {
        let isDone = Locked(false)
        let thread = try NamedThread("worker") {
            usleep(2000)
            isDone.withLock { $0 = true }
        }
        thread.join()
        #expect(isDone.withLock { $0 })
        thread.join()  // idempotent
    }

    @Test func name_tooLong_isCutTo15Bytes() throws {
        let name = Locked("")
        let thread = try NamedThread("a-name-that-is-far-too-long") {
            let shown = (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? ""
            name.withLock { $0 = shown.trimmingCharacters(in: .newlines) }
        }
        thread.join()
        #expect(name.withLock { $0 } == "a-name-that-is-")
    }

    @Test func thread_notKept_runsToItsEnd() throws {
        let isDone = Locked(false)
        _ = try NamedThread("forgotten") {
            isDone.withLock { $0 = true }
            isDone.signal()
        }
        #expect(isDone.waiting(atMost: 30_000_000_000) { $0 ? true : nil } == true)
    }

    @Test func thread_ended_releasesItsBody() throws {
        final class Token: Sendable {}
        var token: Token? = Token()
        weak let witness = token
        let thread = try NamedThread("holder") { [token] in _ = token }
        token = nil
        thread.join()
        #expect(eventually { witness == nil })
    }
}

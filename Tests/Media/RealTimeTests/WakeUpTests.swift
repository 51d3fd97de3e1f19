import Glibc
import RealTime
import Testing

@Suite struct WakeUpTests {
    private func isReadable(_ wakeUp: WakeUp, milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: wakeUp.fileDescriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) == 1 && entry.revents & Int16(POLLIN) != 0
    }

    @Test func fire_untilCleared_makesTheDescriptorReadable() {
        let wakeUp = WakeUp()
        #expect(wakeUp.isUsable)
        #expect(!isReadable(wakeUp, milliseconds: 0))
        wakeUp.fire()
        wakeUp.fire()
        #expect(isReadable(wakeUp, milliseconds: 0))
        wakeUp.clear()
        #expect(!isReadable(wakeUp, milliseconds: 0))
        wakeUp.clear()  // never blocks
    }

    @Test func fire_pollingThread_wakesIt() throws {
        let wakeUp = WakeUp()
        let thread = try NamedThread("firing") { wakeUp.fire() }
        #expect(isReadable(wakeUp, milliseconds: 30_000))
        thread.join()
    }
}

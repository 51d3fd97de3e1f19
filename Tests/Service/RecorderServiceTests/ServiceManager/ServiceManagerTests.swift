import FakeDevices
import FileSystem
import Glibc
import Logging
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

@Suite(.timeLimit(.minutes(10))) struct ServiceManagerTests {
    private let second: Int64 = 1_000_000_000

    // MARK: The watchdog

    @Test func watchdog_samplesArrive_isFedTwicePerTimeout() {
        var watchdog = Watchdog(timeout: 10 * second, now: 0)
        let fed = (1...20).filter { watchdog.isFed(at: Int64($0) * second, lastSample: Int64($0) * second - 1) }
        #expect(fed == [5, 10, 15, 20])
    }

    @Test func watchdog_samplesStop_isNotFed() {
        var watchdog = Watchdog(timeout: 10 * second, now: 0)
        let fed = (1...60).filter { watchdog.isFed(at: Int64($0) * second, lastSample: 4 * second) }
        #expect(fed == [5])
        let revived = watchdog.isFed(at: 61 * second, lastSample: 61 * second)
        #expect(revived)
    }

    @Test func watchdog_noSampleEver_isNotFed() {
        var watchdog = Watchdog(timeout: 10 * second, now: 0)
        let fed = (0...60).filter { watchdog.isFed(at: Int64($0) * second, lastSample: nil) }
        #expect(fed.isEmpty)
    }

    // MARK: Messages

    @Test func ready_isSentOnceWhenTrue() {
        var conversation = ServiceConversation(watchdogTimeout: nil)
        let said = [false, true, true].enumerated().map { time, isReady in
            conversation.messages(for: ServiceState(isReady: isReady, status: "armed"), at: Int64(time))
        }
        #expect(said == [[.status("armed")], [.ready], []])
    }

    @Test func status_changesEverySecond_isSentEveryFiveSeconds() {
        var conversation = ServiceConversation(watchdogTimeout: nil)
        let told = (0...11).filter { time in
            !conversation.messages(for: ServiceState(status: "recording \(time)"), at: Int64(time) * second).isEmpty
        }
        #expect(told == [0, 5, 10])
    }

    @Test func watchdog_isFedFromReadyUntilStopping() {
        var conversation = ServiceConversation(watchdogTimeout: 4 * second)
        func messages(_ time: Int64, ready: Bool = true, stopping: Bool = false) -> [ServiceMessage] {
            let facts = ServiceState(isReady: ready, isStopping: stopping, lastSample: time * second)
            return conversation.messages(for: facts, at: time * second)
        }
        let waiting = (0...9).flatMap { messages(Int64($0), ready: false) }
        #expect(waiting == [])
        let running = (10...14).map { messages(Int64($0)) }
        #expect(running == [[.ready], [], [.watchdog], [], [.watchdog]])
        let ending = (15...18).map { messages(Int64($0), stopping: true) }
        #expect(ending == [[.watchdog], [], [.stopping], []])
    }

    @Test func stopTimeout_whileFinalizing_isExtendedUpToALimit() {
        var conversation = ServiceConversation(watchdogTimeout: 4 * second)
        let facts = ServiceState(isReady: true, isStopping: true)
        let first = conversation.messages(for: facts, at: 0)
        let then = conversation.messages(for: facts, at: 2 * second)
        #expect(first == [.ready, .watchdog] && then == [.stopping])
        let extended = (3...2000).filter { time in
            let messages = conversation.messages(for: facts, at: Int64(time) * second)
            #expect(messages.isEmpty || messages == [.extendTimeout(30 * second)])
            return !messages.isEmpty
        }
        #expect(extended.prefix(3) == [10, 20, 30])
        // Each extends the time by 30 s, so the gap between two is never too long. The last is before 15 minutes.
        #expect(zip(extended, extended.dropFirst()).allSatisfy { $1 - $0 < 30 })
        #expect(extended.last == 890)
    }

    @Test func message_text_matchesTheManual() {
        #expect(ServiceMessage.ready.text == "READY=1")
        #expect(ServiceMessage.status("two\nlines").text == "STATUS=two lines")
        #expect(ServiceMessage.stopping.text == "STOPPING=1")
        #expect(ServiceMessage.reloading(since: 5_000_999).text == "RELOADING=1\nMONOTONIC_USEC=5000")
        #expect(ServiceMessage.watchdog.text == "WATCHDOG=1")
        #expect(ServiceMessage.extendTimeout(second).text == "EXTEND_TIMEOUT_USEC=1000000")
    }

    // MARK: The socket

    @Test(arguments: ["path", "abstract"]) func notifier_pathOrAbstractSocket_sends(kind: String) async throws {
        try await withTemporaryDirectory { directory in
            let path = kind == "path" ? directory + "/notify" : "@recorder-test" + directory
            let manager = try FakeDatagramReceiver(at: path)
            let notifier = try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": path]))
            notifier.send([.ready, .status("recording")])
            #expect(try manager.text() == "READY=1\nSTATUS=recording\n")
        }
    }

    @Test func notifier_pathThatIsNotUTF8_sendsToIt() async throws {
        try await withTemporaryDirectory { directory in
            let path = Array((directory + "/").utf8) + [0xE9]
            let manager = try FakeDatagramReceiver(at: path)
            let notifier = try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": PathText.text(path)]))
            notifier.send([.ready])
            #expect(try manager.text() == "READY=1\n")
        }
    }

    @Test func notifier_noUsableSocket_isAbsent() throws {
        #expect(ServiceNotifier(environment: [:]) == nil)
        #expect(ServiceNotifier(environment: ["NOTIFY_SOCKET": ""]) == nil)
        #expect(ServiceNotifier(environment: ["NOTIFY_SOCKET": "relative"]) == nil)
        #expect(ServiceNotifier(environment: ["NOTIFY_SOCKET": "/" + String(repeating: "x", count: 200)]) == nil)
        // A missing manager is not an error.
        try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": "/nowhere/notify"])).send([.ready])
    }

    @Test func watchdogTimeout_ofAnotherProcess_isIgnored() throws {
        func timeout(_ environment: [String: String]) throws -> Int64? {
            let socket = ["NOTIFY_SOCKET": "@recorder-test"]
            return try #require(ServiceNotifier(environment: environment.merging(socket) { $1 }, process: 42))
                .watchdogTimeout
        }
        #expect(try timeout(["WATCHDOG_USEC": "20000000"]) == 20 * second)
        #expect(try timeout(["WATCHDOG_USEC": "20000000", "WATCHDOG_PID": "42"]) == 20 * second)
        #expect(try timeout(["WATCHDOG_USEC": "20000000", "WATCHDOG_PID": "1"]) == nil)
        for wrong in ["0", "-5", "x", "", "9223372036854775807"] {
            #expect(try timeout(["WATCHDOG_USEC": wrong]) == nil)
        }
        #expect(try timeout([:]) == nil)
    }

    @Test func heartbeat_wokenAndStopped_sendsEachChange() async throws {
        try await withTemporaryDirectory { directory in
            let manager = try FakeDatagramReceiver(at: directory + "/notify")
            let notifier = try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": directory + "/notify"]))
            let facts = Locked(ServiceState(status: "armed"))
            let heartbeat = try ServiceHeartbeat(notifier) { facts.withLock { $0 } }
            #expect(try manager.text() == "STATUS=armed\n")
            facts.withLock { $0.isReady = true }
            heartbeat.wake()
            #expect(try manager.text() == "READY=1\n")
            await heartbeat.reload {}
            #expect(try manager.text().hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
            #expect(try manager.text() == "READY=1\n")
            facts.withLock { ($0.isStopping, $0.status) = (true, "stopping") }
            heartbeat.stop()
            #expect(try manager.text() == "STATUS=stopping\n")
        }
    }

    @Test func heartbeat_samplesArrive_feedsTheWatchdog() async throws {
        try await withTemporaryDirectory { directory in
            let manager = try FakeDatagramReceiver(at: directory + "/notify")
            let environment = ["NOTIFY_SOCKET": directory + "/notify", "WATCHDOG_USEC": "20000"]
            let notifier = try #require(ServiceNotifier(environment: environment))
            let heartbeat = try ServiceHeartbeat(notifier) {
                ServiceState(isReady: true, lastSample: MonotonicClock().nanoseconds)
            }
            #expect(try manager.text() == "READY=1\n")
            for _ in 0..<3 { #expect(try manager.text() == "WATCHDOG=1\n") }
            heartbeat.stop()
        }
    }

    @Test func recording_firstSampleWritten_isReady() async throws {
        try await withTemporaryDirectory { directory in
            let manager = try FakeDatagramReceiver(at: directory + "/notify")
            let notifier = try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": directory + "/notify"]))
            let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let bench = CaptureBench(directory, microphone: false)
            let reporter = try #require(ServiceReporter(bench.process, notifier: notifier, log: log))
            #expect(try manager.text() == "STATUS=starting\n")
            let run = Task { await bench.process.run { _ in reporter.becameReady() } }
            try await waitUntil { bench.camera?.sources.first?.isStarted == true }
            for frame in 0..<3 { bench.camera?.source.frame(at: 1000 + frame * 40) }
            #expect(try manager.text().hasPrefix("READY=1\nSTATUS=recording 00:00:00 → \(directory)/take.mov"))
            bench.process.requestStop()
            bench.camera?.source.frame(at: 5000)
            _ = await run.value
            reporter.end()
            #expect(try manager.text().hasPrefix("STATUS=stopping 00:00:00 → "))
        }
    }

    @Test func statusLine_showsStateFileAndError() {
        var status = RecordingStatus(name: "front", state: .armed)
        #expect(status.serviceLine == "armed")
        status.state = .recording
        status.duration = 602
        status.file = "/videos/front.mov"
        var ledger = Ledger()
        (ledger.captured, ledger.written, ledger[dropped: .queue]) = (10, 7, 3)
        status.video = RecordingStatus.Video(ledger)
        status.video?.frameRate = 29.97
        status.error = "cannot read the microphone: it was unplugged"
        #expect(
            status.serviceLine
                == "recording 00:10:02 → /videos/front.mov, 29.97 fps, dropped 3 frames, "
                + "cannot read the microphone: it was unplugged")
    }
}

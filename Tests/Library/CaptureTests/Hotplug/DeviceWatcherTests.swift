import Glibc
import RealTime
import Testing

@testable import Capture

@Suite struct DeviceWatcherTests {
    private let folder: String

    init() throws {
        var template = Array("/tmp/recorder-watch-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func create(_ path: String) { close(open(path, O_CREAT | O_WRONLY, 0o600)) }

    /// A counter of a watcher's reports.
    private final class Counter: Sendable {
        private let count = Locked(0)
        func add() {
            count.withLock { $0 += 1 }
            count.broadcast()
        }
        var value: Int { count.withLock { $0 } }
        func waits(for wanted: Int) -> Bool {
            count.waiting(atMost: 5_000_000_000) { $0 >= wanted ? true : nil } ?? false
        }
    }

    @Test func deviceWatcher_nodeAppearsOrBecomesAccessible_notifies() {
        let told = Counter()
        let watcher = DeviceWatcher(folders: [folder])
        let observation = watcher.observe { told.add() }
        create("\(folder)/video7")
        #expect(told.waits(for: 1))
        let before = told.value
        chmod("\(folder)/video7", 0o660)
        #expect(told.waits(for: before + 1))
        let next = told.value
        symlink("\(folder)/video7", "\(folder)/.link")
        rename("\(folder)/.link", "\(folder)/usb-camera")
        #expect(told.waits(for: next + 1))
        withExtendedLifetime(observation) {}
    }

    @Test func deviceWatcher_directoryCreatedLater_isWatched() {
        let told = Counter()
        // An observer need not keep a reference to the watcher.
        let observation = DeviceWatcher(folders: [folder, "\(folder)/by-id"]).observe { told.add() }
        mkdir("\(folder)/by-id", 0o700)
        #expect(told.waits(for: 1))
        let before = told.value
        create("\(folder)/by-id/usb-camera")
        #expect(told.waits(for: before + 1))
        withExtendedLifetime(observation) {}
    }

    @Test func deviceWatcher_endedObservation_isNotNotified() {
        let (first, second) = (Counter(), Counter())
        let watcher = DeviceWatcher(folders: [folder])
        var observation: DeviceWatcher.Observation? = watcher.observe { first.add() }
        let other = watcher.observe { second.add() }
        #expect(observation != nil)
        observation = nil
        create("\(folder)/video7")
        #expect(second.waits(for: 1))
        #expect(first.value == 0)
        withExtendedLifetime(other) {}
    }

    @Test func deviceWatcher_inDevDirectory_selectsCamerasAndSoundCards() {
        #expect(["video0", "video12", "v4l", "snd"].allSatisfy(DeviceWatcher.isOfDevices))
        #expect(!["tty1", "pts", "loop0", "sda", "null"].contains(where: DeviceWatcher.isOfDevices))
    }

    @Test func deviceWatcher_truncatedEvent_isIgnored() {
        func event(_ watch: UInt8, _ name: [UInt8]) -> [UInt8] {
            [watch, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, UInt8(name.count), 0, 0, 0] + name
        }
        let bytes = event(1, [0x61, 0x62, 0, 0]) + event(2, []) + event(3, [0x63, 0, 0, 0]).dropLast()
        let events = DeviceWatcher.events(in: bytes[...])
        #expect(events.map(\.watch) == [1, 2] && events.map(\.name) == ["ab", ""])
    }
}

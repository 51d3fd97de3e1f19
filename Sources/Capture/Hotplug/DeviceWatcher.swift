import Glibc
import RealTime

/// Tells when a camera or a sound card may have appeared: a hint to look again, no more.
///
/// It watches the directories in which their nodes and the links with their stable names appear, on one thread of its own.
/// inotify(7) is enough for that, works without udev, and has an event for each change of permissions, which udev makes
/// after the node exists. Where the system has no inotify instance left (`max_user_instances`) nothing is ever told.
public final class DeviceWatcher: Sendable {
    /// Where nodes and links appear.
    public static let standardFolders = ["/dev", "/dev/v4l", "/dev/v4l/by-id", "/dev/v4l/by-path", "/dev/snd"]

    /// Observes as long as it lives.
    public final class Observation: Sendable {
        private let cancel: @Sendable () -> Void
        fileprivate init(cancel: @escaping @Sendable () -> Void) { self.cancel = cancel }
        deinit { cancel() }
    }

    private typealias Observers = [Int: @Sendable () -> Void]

    private let observers = Locked<(next: Int, list: Observers)>((0, [:]))
    private let stopSignal = WakeUp()

    /// - Parameter folders: those that do not exist are watched once they do.
    public init(folders: [String] = standardFolders) {
        let watch = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard watch >= 0 else { return }
        Self.add(folders, to: watch)
        let (observers, stop) = (observers, stopSignal)
        do throws(ThreadError) {
            _ = try NamedThread("device-watcher") {
                defer { close(watch) }
                Self.run(watch, folders, until: stop) {
                    for observer in observers.withLock({ Array($0.list.values) }) { observer() }
                }
            }
        } catch { close(watch) }
    }

    deinit { stopSignal.fire() }

    /// - Parameter body: called on the watcher's thread, once for several changes that come together; must not block.
    public func observe(_ body: @escaping @Sendable () -> Void) -> Observation {
        let key = observers.withLock { observers in
            observers.next += 1
            observers.list[observers.next] = body
            return observers.next
        }
        // Watches as long as anybody observes.
        return Observation { [self] in observers.withLock { $0.list[key] = nil } }
    }

    /// Adds those that exist; one that is watched already stays as it is.
    ///
    /// - Returns: the number under which inotify tells of /dev itself.
    @discardableResult
    private static func add(_ folders: [String], to watch: Int32) -> Int32? {
        var ofNodes: Int32?
        for folder in folders {
            let number = inotify_add_watch(watch, folder, UInt32(IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_ONLYDIR))
            if folder == "/dev" { ofNodes = number }
        }
        return ofNodes
    }

    private static func run(_ watch: Int32, _ folders: [String], until stop: WakeUp, tell: () -> Void) {
        var waits = [
            pollfd(fd: watch, events: Int16(POLLIN), revents: 0),
            pollfd(fd: stop.fileDescriptor, events: Int16(POLLIN), revents: 0),
        ]
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            _ = poll(&waits, 2, -1)
            if waits[1].revents != 0 { return }
            guard waits[0].revents != 0 else { continue }
            // Before the events are read: what appears in a new directory from here on is told with the next.
            let ofNodes = add(folders, to: watch)
            var isNews = false
            while true {
                let count = read(watch, &buffer, buffer.count)
                guard count > 0 else { break }
                for event in events(in: buffer[..<count]) {
                    isNews = isNews || event.watch != ofNodes || isOfDevices(event.name)
                }
            }
            if isNews { tell() }
        }
    }

    /// The events in a stretch of `struct inotify_event`: watch, mask, cookie and length of the name, each of four bytes,
    /// then the name, filled up with zeros.
    static func events(in bytes: ArraySlice<UInt8>) -> [(watch: Int32, name: String)] {
        var found: [(watch: Int32, name: String)] = []
        var rest = bytes
        while rest.count >= 16 {
            let length = Int(number(rest.dropFirst(12)))
            guard rest.count - 16 >= length else { break }
            let name = rest.dropFirst(16).prefix(length).prefix { $0 != 0 }
            found.append((Int32(bitPattern: number(rest)), String(decoding: name, as: UTF8.self)))
            rest = rest.dropFirst(16 + length)
        }
        return found
    }

    /// Four bytes in the machine's order.
    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.prefix(4).withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
    }

    /// Whether something in /dev has to do with cameras or sound cards, as few things there do.
    static func isOfDevices(_ name: String) -> Bool {
        ["video", "v4l", "snd"].contains { name.hasPrefix($0) }
    }
}

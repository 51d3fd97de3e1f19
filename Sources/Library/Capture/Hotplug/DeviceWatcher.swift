import Glibc
import RealTime

/// Notifies observers that a camera or a sound card may have appeared. This is only a hint to look again.
///
/// One thread watches the directories in which device nodes and stable links appear. inotify(7) is enough for that, and
/// works without udev. inotify also reports permission changes, which udev makes after the node exists. If the system
/// has no inotify instance left (`max_user_instances`), observers are never called.
public final class DeviceWatcher: Sendable {
    /// The directories in which nodes and links appear.
    public static let standardFolders = ["/dev", "/dev/v4l", "/dev/v4l/by-id", "/dev/v4l/by-path", "/dev/snd"]

    /// An active observation; it ends when this object is released.
    public final class Observation: Sendable {
        private let cancel: @Sendable () -> Void
        fileprivate init(cancel: @escaping @Sendable () -> Void) { self.cancel = cancel }
        deinit { cancel() }
    }

    private typealias Observers = [Int: @Sendable () -> Void]

    private let observers = Locked<(next: Int, list: Observers)>((0, [:]))
    private let stopSignal = WakeUp()

    /// Starts watching.
    ///
    /// - Parameter folders: The directories to watch. Those that do not exist are watched once they do.
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

    /// Adds an observer for as long as the result is retained.
    ///
    /// - Parameter body: A closure called on the watcher's thread, once for several changes at the same time; it must
    ///   not block.
    public func observe(_ body: @escaping @Sendable () -> Void) -> Observation {
        let key = observers.withLock { observers in
            observers.next += 1
            observers.list[observers.next] = body
            return observers.next
        }
        // Retains the watcher as long as an observation exists.
        return Observation { [self] in observers.withLock { $0.list[key] = nil } }
    }

    /// Adds the directories that exist; those already watched are unchanged.
    ///
    /// - Returns: inotify's watch descriptor for /dev itself.
    @discardableResult
    private static func add(_ folders: [String], to watch: Int32) -> Int32? {
        var ofNodes: Int32?
        for folder in folders {
            let number = inotify_add_watch(watch, folder, UInt32(IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_ONLYDIR))
            if folder == "/dev" { ofNodes = number }
        }
        return ofNodes
    }

    private static func run(_ watch: Int32, _ folders: [String], until stop: WakeUp, notify: () -> Void) {
        var waits = [
            pollfd(fd: watch, events: Int16(POLLIN), revents: 0),
            pollfd(fd: stop.fileDescriptor, events: Int16(POLLIN), revents: 0),
        ]
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            _ = poll(&waits, 2, -1)
            if waits[1].revents != 0 { return }
            guard waits[0].revents != 0 else { continue }
            // Add directories before reading the events: anything that appears in a new directory from here on is in
            // the next read.
            let ofNodes = add(folders, to: watch)
            var isNews = false
            while true {
                let count = read(watch, &buffer, buffer.count)
                guard count > 0 else { break }
                for event in events(in: buffer[..<count]) {
                    isNews = isNews || event.watch != ofNodes || isOfDevices(event.name)
                }
            }
            if isNews { notify() }
        }
    }

    /// Returns the events in a buffer of `struct inotify_event`: watch, mask, cookie and name length, each of four
    /// bytes, then the name, padded with zeros.
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

    /// Returns four bytes as a number in native byte order.
    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.prefix(4).withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
    }

    /// Returns true for the few nodes in /dev that may be a camera or a sound card.
    static func isOfDevices(_ name: String) -> Bool {
        ["video", "v4l", "snd"].contains { name.hasPrefix($0) }
    }
}

import FileSystem
import Glibc

/// Reports changes in many directories with inotify(7). Only one thread may use this object.
final class FolderWatch {
    enum News: Equatable {
        /// A file or directory with this name was created, removed or written.
        case changed(directory: String, name: String)
        /// The event queue overflowed: everything has to be scanned again.
        case lost
        /// A directory was removed or moved.
        case gone(directory: String)
    }

    /// The maximum number of watched directories; the caller polls all others.
    private static let most = 8192
    private static let events = UInt32(
        IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF
            | IN_ONLYDIR
    )

    private var directories: [Int32: String] = [:]
    private var numbers: [String: Int32] = [:]
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    /// The descriptor for `poll`; negative if the system has no free descriptor.
    let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))

    deinit { if descriptor >= 0 { close(descriptor) } }

    func isWatched(_ directory: String) -> Bool { numbers[directory] != nil }

    /// Watches a directory.
    ///
    /// - Parameter tellsWrites: True to report every write, not only the close after writing.
    /// - Returns: false if the directory does not exist or cannot be watched.
    @discardableResult
    func add(_ directory: String, tellsWrites: Bool = false) -> Bool {
        guard descriptor >= 0, numbers[directory] != nil || numbers.count < Self.most else { return false }
        let number = inotify_add_watch(descriptor, directory, Self.events | UInt32(tellsWrites ? IN_MODIFY : 0))
        guard number >= 0 else { return false }
        // The same directory may have had another name.
        if let old = directories[number], old != directory { numbers[old] = nil }
        directories[number] = directory
        numbers[directory] = number
        return true
    }

    /// Returns the new changes, but at most a few thousand per call. The next call returns the rest.
    func take() -> [News] {
        var news: [News] = []
        while news.count < 4096 {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            var place = 0
            while place + 16 <= count {
                // struct inotify_event: watch, mask, cookie and name length, each of four bytes; then the name.
                let (number, mask, length) = buffer.withUnsafeBytes { bytes in
                    (
                        bytes.loadUnaligned(fromByteOffset: place, as: Int32.self),
                        bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self),
                        Int(bytes.loadUnaligned(fromByteOffset: place + 12, as: UInt32.self))
                    )
                }
                let name = buffer[(place + 16)..<min(count, place + 16 + length)].prefix { $0 != 0 }
                place += 16 + length
                if mask & UInt32(IN_Q_OVERFLOW) != 0 {
                    news.append(.lost)
                } else if let directory = directories[number] {
                    if mask & UInt32(IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT) != 0 {
                        forget(number)
                        news.append(.gone(directory: directory))
                    } else if !name.isEmpty {
                        news.append(.changed(directory: directory, name: PathText.text(name)))
                    }
                }
            }
        }
        return news
    }

    private func forget(_ number: Int32) {
        guard let directory = directories.removeValue(forKey: number) else { return }
        if numbers[directory] == number { numbers[directory] = nil }
        _ = inotify_rm_watch(descriptor, number)
    }
}
